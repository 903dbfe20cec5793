// Draws by Go's own system calls: 64 goroutines at once, then the main one, which prints a number for its own
// draws and a number that does not depend on which goroutine drew what.
package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
)

func draw() uint64 {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return binary.LittleEndian.Uint64(bytes[:])
}

func main() {
	first := draw()
	var lock sync.Mutex
	var all sync.WaitGroup
	seen := map[uint64]bool{}
	sum := uint64(0)
	for i := 0; i < 64; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 50; k++ {
				number := draw()
				lock.Lock()
				seen[number] = true
				sum += number
				lock.Unlock()
			}
		}()
	}
	all.Wait()
	fmt.Printf("%016x %d %016x %016x\n", first, len(seen), sum, draw())
}
