# Operator, desk, webhook and command line: the programs, the libraries they load, and nothing else; no shell, no package manager.
# The programs are built outside (build/release/bin), on the same Debian 12 that the libraries are taken from.
FROM docker.io/library/debian:bookworm-slim AS libraries
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      libcpprest2.10 libyaml-0-2 libyaml-cpp0.7 libfmt9 libspdlog1.10 libssl3 libprometheus-cpp-core1.0 libsimdjson14 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb
COPY rollcall-operator rollcall-desk rollcall-webhook rollcall /image/usr/local/bin/
# A library that is not found ends the build here and not the program on a cluster.
RUN set -eu; cd /image/usr/local/bin; \
    ldd rollcall-operator rollcall-desk rollcall-webhook rollcall > /needed; \
    ! grep 'not found' /needed; \
    sed -n 's/^\t.*=> \(\/[^ ]*\) .*/\1/p; s/^\t\(\/[^ ]*\) .*/\1/p' /needed | sort -u | xargs cp -L --parents -t /image; \
    find /usr/share/doc -name copyright | xargs cp --parents -t /image

FROM scratch
COPY --from=libraries /image /
ENV PATH=/usr/local/bin
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/rollcall"]
