# The trainer of the end-to-end tests: one static file, no shell, no libc. Rollcall must work in it.
FROM scratch
COPY e2e-trainer /e2e-trainer
USER 65532:65532
ENTRYPOINT ["/e2e-trainer"]
