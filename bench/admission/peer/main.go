// The peer of bench/admission: the smallest webhook that controller-runtime makes of a typed TrainingJob. It decodes the
// review and compares nprocPerNode with the GPUs of the first container.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// TrainingJob has the fields that the comparison needs and the template they stand in.
type TrainingJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NNodes       int32                  `json:"nnodes"`
		NprocPerNode intstr.IntOrString     `json:"nprocPerNode"`
		Template     corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}

// DeepCopyObject is never called: the object is decoded and read.
func (j *TrainingJob) DeepCopyObject() runtime.Object { panic("not needed") }

func main() {
	port := flag.Int("port", 9444, "HTTPS port")
	dir := flag.String("tls-dir", "/tls", "folder with tls.crt and tls.key")
	flag.Parse()
	decoder := admission.NewDecoder(runtime.NewScheme())
	server := webhook.NewServer(webhook.Options{Port: *port, CertDir: *dir})
	server.Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(
		func(_ context.Context, request admission.Request) admission.Response {
			job := &TrainingJob{}
			if err := decoder.Decode(request, job); err != nil {
				return admission.Errored(http.StatusBadRequest, err)
			}
			if len(job.Spec.Template.Spec.Containers) == 0 {
				return admission.Denied("no container")
			}
			gpus := job.Spec.Template.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"]
			if processes := int64(job.Spec.NprocPerNode.IntValue()); processes > gpus.Value() {
				return admission.Denied(fmt.Sprintf("%d processes for %d GPUs", processes, gpus.Value()))
			}
			return admission.Allowed("")
		})})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := server.Start(ctx); err != nil {
		log.Fatal(err)
	}
}
