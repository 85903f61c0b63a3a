// SPDX-License-Identifier: Apache-2.0

// Package lines is the line protocol of foreign.h for the libraries of Go. An owner is a name only.
package lines

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Ask is one line: who asks for what. Lease and Limit are zero where the verb has none.
type Ask struct {
	Owner, Kind, Verb, Name string
	Lease, Limit            time.Duration
}

// Place tells the holds of different owners apart.
func (a Ask) Place() string { return a.Owner + " " + a.Name }

// Now is of the clock that the other processes of this machine read too; Go's own monotonic readings cannot leave the process.
func Now() int64 {
	const monotonic = 1
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

// Error is what is answered for a failure that the library raised.
func Error(err error) string { return "error " + strings.ReplaceAll(err.Error(), "\n", " ") }

func milliseconds(words []string, at int) time.Duration {
	if at >= len(words) {
		return 0
	}
	number, _ := strconv.Atoi(words[at])
	return time.Duration(number) * time.Millisecond
}

// Serve answers each line in a goroutine of its own until the input ends.
func Serve(answer func(Ask) string) {
	var output sync.Mutex
	say := func(line string) {
		output.Lock()
		defer output.Unlock()
		fmt.Println(line)
	}
	say("ready")
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		words := strings.Split(input.Text(), " ")
		ask := Ask{words[0], words[1], words[2], words[3], milliseconds(words, 4), milliseconds(words, 5)}
		go func() { say(ask.Owner + " " + answer(ask)) }()
	}
}
