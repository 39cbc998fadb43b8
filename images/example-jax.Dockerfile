# The example trainer: Debian's Python and train.py. JAX itself (600 MB) is mounted at /opt/jax, so that the image is small enough
# to be imported into every node in a second; dev/deps --images puts it where the example jobs' hostPath looks.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb
ENV PYTHONPATH=/opt/jax PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /trainer
COPY train.py /trainer/train.py
USER 65532:65532
CMD ["python3", "/trainer/train.py"]
