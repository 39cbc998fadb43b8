module rollcall.dev/tools/etcd

go 1.25.0
