# The static probe and nothing else: the installer's image in every job's pods.
FROM scratch
COPY rollcall-probe /rollcall-probe
USER 65532:65532
ENTRYPOINT ["/rollcall-probe"]
