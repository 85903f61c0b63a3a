// SPDX-License-Identifier: Apache-2.0

// redsync with one node behind the line protocol of foreign.h. An owner is a name only: the library's owner is the mutex.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	client "github.com/gomodule/redigo/redis"
)

const pause = 50 * time.Millisecond // between two asks of a wait

type driver struct {
	redsync *redsync.Redsync
	mutex   sync.Mutex // guards held and the output
	held    map[string]*redsync.Mutex
}

// The clock that the other processes of this machine read too; Go's own monotonic readings cannot leave the process.
func now() int64 {
	const monotonic = 1
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func (d *driver) say(line string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	fmt.Println(line)
}

func (d *driver) give(place string) string {
	d.mutex.Lock()
	mutex := d.held[place]
	delete(d.held, place)
	d.mutex.Unlock()
	before := now()
	if mutex == nil {
		return "no"
	}
	if done, _ := mutex.Unlock(); !done {
		return "no"
	}
	return fmt.Sprint("ok ", before)
}

func (d *driver) take(place, name string, lease, limit time.Duration) string {
	tries := 1 + int((limit+pause-1)/pause)
	mutex := d.redsync.NewMutex(name, redsync.WithExpiry(lease), redsync.WithTries(tries), redsync.WithRetryDelay(pause))
	if err := mutex.Lock(); err != nil {
		var taken *redsync.ErrTaken
		if errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
			return "no"
		}
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	at := now()
	d.mutex.Lock()
	d.held[place] = mutex
	d.mutex.Unlock()
	return fmt.Sprint("ok ", at)
}

func milliseconds(words []string, at int) time.Duration {
	number, _ := strconv.Atoi(words[at])
	return time.Duration(number) * time.Millisecond
}

// Words: owner kind verb name [lease [limit]].
func (d *driver) answer(words []string) string {
	place := words[0] + " " + words[3]
	switch words[2] {
	case "give":
		return d.give(place)
	case "take":
		return d.take(place, words[3], milliseconds(words, 4), 0)
	case "wait":
		return d.take(place, words[3], milliseconds(words, 4), milliseconds(words, 5))
	}
	return "error no such verb: " + words[2]
}

func main() {
	pool := &client.Pool{MaxIdle: 4, Dial: func() (client.Conn, error) { return client.Dial("tcp", "127.0.0.1:"+os.Args[1]) }}
	d := &driver{redsync: redsync.New(redigo.NewPool(pool)), held: map[string]*redsync.Mutex{}}
	d.say("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		go func() { d.say(words[0] + " " + d.answer(words)) }()
	}
}
