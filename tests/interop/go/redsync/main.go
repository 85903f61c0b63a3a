// SPDX-License-Identifier: Apache-2.0

// redsync with one node behind the line protocol of foreign.h. The library's owner is the mutex.
package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	client "github.com/gomodule/redigo/redis"

	"lockhouse/interop/lines"
)

const pause = 50 * time.Millisecond // between two asks of a wait

type driver struct {
	redsync *redsync.Redsync
	mutex   sync.Mutex // guards held
	held    map[string]*redsync.Mutex
}

func (d *driver) find(place string) *redsync.Mutex {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.held[place]
}

func (d *driver) keep(place string, mutex *redsync.Mutex) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.held[place] = mutex
}

func (d *driver) give(place string) string {
	mutex := d.find(place)
	d.keep(place, nil)
	before := lines.Now()
	if mutex == nil {
		return "no"
	}
	if done, _ := mutex.Unlock(); !done {
		return "no"
	}
	return fmt.Sprint("ok ", before)
}

func (d *driver) take(ask lines.Ask) string {
	tries := 1 + int((ask.Limit+pause-1)/pause)
	mutex := d.redsync.NewMutex(ask.Name, redsync.WithExpiry(ask.Lease), redsync.WithTries(tries), redsync.WithRetryDelay(pause))
	if err := mutex.Lock(); err != nil {
		var taken *redsync.ErrTaken
		if errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
			return "no"
		}
		return lines.Error(err)
	}
	at := lines.Now()
	d.keep(ask.Place(), mutex)
	return fmt.Sprint("ok ", at)
}

func (d *driver) answer(ask lines.Ask) string {
	switch ask.Verb {
	case "give":
		return d.give(ask.Place())
	case "take", "wait":
		return d.take(ask)
	case "who":
		return fmt.Sprint("ok ", lines.Now(), " ", d.find(ask.Place()).Value())
	}
	return "error no such verb: " + ask.Verb
}

func main() {
	pool := &client.Pool{MaxIdle: 4, Dial: func() (client.Conn, error) { return client.Dial("tcp", "127.0.0.1:"+os.Args[1]) }}
	d := &driver{redsync: redsync.New(redigo.NewPool(pool)), held: map[string]*redsync.Mutex{}}
	lines.Serve(d.answer)
}
