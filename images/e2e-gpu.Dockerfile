# The trainer of the end-to-end tests in an image as training images are: glibc, a shell, and libraries of NVIDIA's names where a
# container toolkit and a wheel would put them. They are the doubles of tests/doubles: there is no GPU.
FROM docker.io/library/debian:bookworm-slim
COPY lib /opt/doubles
COPY e2e-trainer /e2e-trainer
ENV LD_LIBRARY_PATH=/opt/doubles
USER 65532:65532
ENTRYPOINT ["/e2e-trainer"]
