# go: math/rand
command -v go >/dev/null || exit 77
mkdir -p g && cd g
printf 'package main\nimport ("fmt"; "math/rand"; "time")\nfunc main() { rand.Seed(time.Now().UnixNano()); fmt.Println(rand.Int()) }\n' >main.go
GOCACHE=$PWD/cache GO111MODULE=off go run main.go
