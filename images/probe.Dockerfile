# The static probe and its child, and nothing else: the installer's image in every job's pods. It copies both to where they run, in
# the job's own image; the child cannot run here, for it needs that image's C library.
FROM scratch AS probe
COPY rollcall-probe rollcall-probe-child /
USER 65532:65532
ENTRYPOINT ["/rollcall-probe"]

# With NVIDIA's NCCL, for jobs whose image has none or carries it inside torch (rollCall.nccl: Bundled). The installer copies it too.
FROM probe AS probe-nccl
COPY libnccl.so.2 LICENSE.nccl /
