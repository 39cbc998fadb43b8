"""Writes N Indexed Jobs that start torchrun, as a team's chart renders them, into FOLDER/one.yaml and FOLDER/many/*.yaml,
ten a file. All are sound. usage: generate.py FOLDER [N]
"""
import pathlib
import sys

JOB = """---
# Source: training/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: pretrain-{n}
  namespace: research
  labels:
    app.kubernetes.io/name: pretrain
    app.kubernetes.io/instance: pretrain-{n}
    app.kubernetes.io/managed-by: Helm
    kueue.x-k8s.io/queue-name: gpu
  annotations:
    team.example.com/owner: "research@example.com"
spec:
  completionMode: Indexed
  completions: {nodes}
  parallelism: {nodes}
  backoffLimit: 0
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels:
        app.kubernetes.io/name: pretrain
        app.kubernetes.io/instance: pretrain-{n}
    spec:
      subdomain: pretrain
      restartPolicy: Never
      terminationGracePeriodSeconds: 120
      nodeSelector:
        node.example.com/gpu: h200
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
      containers:
        - name: trainer
          image: registry.example.test/research/pretrain:2026.11.{n}
          imagePullPolicy: IfNotPresent
          command:
            - torchrun
            - --nnodes={nodes}
            - --nproc-per-node=8
            - --node-rank=$(JOB_COMPLETION_INDEX)
            - --master-addr=pretrain-{n}-0.pretrain
            - --master-port=29400
            - -m
            - research.pretrain
            - --config=/config/pretrain.yaml
            - --seed={n}
          env:
            - name: NCCL_SOCKET_IFNAME
              value: eth0
            - name: OMP_NUM_THREADS
              value: "8"
            - name: PYTHONUNBUFFERED
              value: "1"
            - name: POD_IP
              valueFrom:
                fieldRef:
                  fieldPath: status.podIP
            - name: WANDB_API_KEY
              valueFrom:
                secretKeyRef:
                  name: wandb
                  key: api-key
          ports:
            - name: rendezvous
              containerPort: 29400
          resources:
            requests:
              cpu: "48"
              memory: 800Gi
              nvidia.com/gpu: "8"
            limits:
              memory: 800Gi
              nvidia.com/gpu: "8"
          securityContext:
            allowPrivilegeEscalation: false
            capabilities:
              add: ["IPC_LOCK"]
          volumeMounts:
            - name: shm
              mountPath: /dev/shm
            - name: data
              mountPath: /data
              readOnly: true
            - name: config
              mountPath: /config
      volumes:
        - name: shm
          emptyDir: {{medium: Memory, sizeLimit: 64Gi}}
        - name: data
          persistentVolumeClaim:
            claimName: tokens
        - name: config
          configMap:
            name: pretrain-config
"""
PER_FILE = 10


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    many = folder / "many"
    many.mkdir(parents=True, exist_ok=True)
    with open(folder / "one.yaml", "w") as one:
        for first in range(0, count, PER_FILE):
            text = "".join(JOB.format(n=n, nodes=2 + n % 7) for n in range(first, min(first + PER_FILE, count)))
            one.write(text)
            (many / f"jobs-{first // PER_FILE:05}.yaml").write_text(text)


if __name__ == "__main__":
    main()
