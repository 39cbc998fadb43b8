module rollcall.dev/tools/kwok

go 1.25.0
