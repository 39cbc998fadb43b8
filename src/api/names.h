#pragma once

/// Names that the programs share: what the operator writes, the probe reads and the desk looks up. A change here is a
/// change of the protocol between versions.
namespace rollcall::api::names {

inline constexpr auto kGroup = "rollcall.dev";
inline constexpr auto kVersion = "v1alpha1";
inline constexpr auto kApiVersion = "rollcall.dev/v1alpha1";

// Labels of a pod of a TrainingJob (node rank and attempt in decimal).
inline constexpr auto kLabelJob = "rollcall.dev/job-name";
inline constexpr auto kLabelJobUid = "rollcall.dev/job-uid";
inline constexpr auto kLabelNodeRank = "rollcall.dev/node-rank";
inline constexpr auto kLabelAttempt = "rollcall.dev/attempt";

// Annotations of a pod, written by the operator in one patch after the desk named the address; the trainer's env reads
// the first two by fieldRef, the probe reads the others and the first from the downwardAPI file kAnnotationsFile.
inline constexpr auto kAnnotationMasterAddr = "rollcall.dev/master-addr";  ///< `10.0.0.7`, `fd00::7`
inline constexpr auto kAnnotationMasterEndpoint =
    "rollcall.dev/master-endpoint";  ///< `10.0.0.7:29500`, `[fd00::7]:29500`
inline constexpr auto kAnnotationAttempt = "rollcall.dev/attempt";
inline constexpr auto kAnnotationReleased =
    "rollcall.dev/released";  ///< the attempt's number, once the verdict is Released

// On a TrainingJob, by a person: release whatever was found; the value is the reason.
inline constexpr auto kAnnotationRelease = "rollcall.dev/release";
// On a TrainingJob, by a person: rules to pass over, one line a rule (`rule: reason`).
inline constexpr auto kAnnotationIgnore = "rollcall.dev/ignore";

// On a RollCall, by the operator, obeyed by the desk within 5 s.
inline constexpr auto kAnnotationOverride = "rollcall.dev/override";  ///< reason given by the person
inline constexpr auto kAnnotationMode =
    "rollcall.dev/mode";  ///< Enforce, Observe or Off, when it changed while waiting

// Containers that Rollcall adds.
inline constexpr auto kInstaller =
    "rollcall-install";                     ///< first init container: copies the probe into the shared volume
inline constexpr auto kProbe = "rollcall";  ///< last init container: answers the roll call

// Volumes that Rollcall adds, and where the probe finds them.
inline constexpr auto kVolumeBin = "rollcall-bin";             ///< emptyDir
inline constexpr auto kVolumeToken = "rollcall-token";         ///< projected service-account token
inline constexpr auto kVolumePod = "rollcall-pod";             ///< downwardAPI
inline constexpr auto kBinDir = "/rollcall/bin";               ///< rollcall-probe, and next to it:
inline constexpr auto kChildProgram = "rollcall-probe-child";  ///< loads CUDA, NVML and NCCL; needs the image's glibc
inline constexpr auto kBundledNccl = "libnccl.so.2";           ///< only from a probe image that carries one
inline constexpr auto kTokenDir = "/rollcall/token";
inline constexpr auto kTokenFile = "/rollcall/token/token";
inline constexpr auto kPodDir = "/rollcall/pod";
inline constexpr auto kAnnotationsFile = "/rollcall/pod/annotations";
inline constexpr auto kAddressDir = "/rollcall/address";  ///< in the trainer: empty, see launch/pod/containers.h
inline constexpr auto kTokenAudience = "rollcall";

// Environment of the probe, all literal but the two fieldRefs.
inline constexpr auto kEnvDeskAddress = "ROLLCALL_DESK_ADDRESS";  ///< `10.96.3.4:443` or `[fd00::4]:443`
inline constexpr auto kEnvDeskName =
    "ROLLCALL_DESK_NAME";                               ///< `rollcall-desk.NAMESPACE.svc`, verified in its certificate
inline constexpr auto kEnvDeskCa = "ROLLCALL_DESK_CA";  ///< PEM, one or more certificates
inline constexpr auto kEnvJob = "ROLLCALL_JOB";         ///< `tj/NAMESPACE/NAME`
inline constexpr auto kEnvAttempt = "ROLLCALL_ATTEMPT";
inline constexpr auto kEnvNodeRank = "ROLLCALL_NODE_RANK";
inline constexpr auto kEnvNnodes = "ROLLCALL_NNODES";
inline constexpr auto kEnvGiveUpSeconds = "ROLLCALL_GIVE_UP_SECONDS";  ///< waitForPodsSeconds + holdSeconds
inline constexpr auto kEnvGpuResource =
    "ROLLCALL_GPU_RESOURCE";                              ///< `nvidia.com/gpu`; absent when the job asks for no GPU
inline constexpr auto kEnvGpus = "ROLLCALL_GPUS";         ///< devices of that resource the trainer container asks for
inline constexpr auto kEnvPodUid = "ROLLCALL_POD_UID";    ///< fieldRef metadata.uid
inline constexpr auto kEnvPodName = "ROLLCALL_POD_NAME";  ///< fieldRef metadata.name
// What the probe's GPU, NCCL and collective steps and the user's checks run with; each may be absent.
inline constexpr auto kEnvExports =
    "ROLLCALL_EXPORTS";  ///< JSON object, name to value: literal exports read in the trainer's command, `mpirun -x`
inline constexpr auto kEnvSetup = "ROLLCALL_SETUP";  ///< rollCall.setup, shell text
inline constexpr auto kEnvFidelity =
    "ROLLCALL_FIDELITY";  ///< why the above is not the trainer's whole environment; absent = as far as is known it is
inline constexpr auto kEnvChecks = "ROLLCALL_CHECKS";  ///< rollCall.checks as JSON, as in the spec
inline constexpr auto kEnvNccl = "ROLLCALL_NCCL";      ///< rollCall.nccl: `Job` or `Bundled`
inline constexpr auto kEnvDeadlinePercent =
    "ROLLCALL_DEADLINE_PERCENT";  ///< the policy's factor on every deadline of the probe; 100 when absent

// The add-on's own objects, in its own namespace (rollcall-system unless installed elsewhere). One Rollcall a cluster,
// so these names do not follow the name of an installation.
inline constexpr auto kDeskService = "rollcall-desk";
inline constexpr auto kDeskSecret = "rollcall-desk-tls";        ///< tls.crt, tls.key, ca.crt (every authority to trust)
inline constexpr auto kWebhookSecret = "rollcall-webhook-tls";  ///< the same of the webhook
inline constexpr auto kCaSecret = "rollcall-ca";                ///< the authority with its key: the operator's alone
inline constexpr auto kOperatorLease = "rollcall-operator";
inline constexpr auto kDeskLease = "rollcall-desk";
inline constexpr auto kDeskEndpoints = "rollcall-desk-leader";  ///< the EndpointSlice that the leading desk writes
inline constexpr auto kWebhookService = "rollcall-webhook";
inline constexpr auto kWebhookConfiguration = "rollcall";  ///< ValidatingWebhookConfiguration, cluster-scoped

}  // namespace rollcall::api::names
