# Operator, desk and command line. The programs are built outside (build/release/bin), on the same Debian 12 this image stands on.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      ca-certificates libcpprest2.10 libyaml-cpp0.7 libfmt9 libspdlog1.10 libssl3 libprometheus-cpp-core1.0 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb
COPY rollcall-operator rollcall-desk rollcall /usr/local/bin/
USER 65532:65532
