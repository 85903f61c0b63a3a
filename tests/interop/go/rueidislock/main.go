// SPDX-License-Identifier: Apache-2.0

// rueidislock with its three keys on one node behind the line protocol of foreign.h. The library's owner is the context that it
// returned, and it renews every lease at half its length. Its keys are "rueidislock:0:", "rueidislock:1:", "rueidislock:2:" and the name.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"lockhouse/interop/lines"
)

type hold struct {
	lost   context.Context // done as soon as the library knows that it has lost the lock
	unlock context.CancelFunc
}

type driver struct {
	mutex   sync.Mutex                           // guards what follows
	lockers map[time.Duration]rueidislock.Locker // a lease belongs to a locker
	held    map[string]hold
}

func (d *driver) locker(lease time.Duration) (rueidislock.Locker, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if known, ok := d.lockers[lease]; ok {
		return known, nil
	}
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{"127.0.0.1:" + os.Args[1]}},
		KeyValidity:  lease,
		TryNextAfter: 5 * time.Second, // its 20 ms for one key are little for a machine that has much to do
	})
	if err == nil {
		d.lockers[lease] = locker
	}
	return locker, err
}

func (d *driver) take(ask lines.Ask) string {
	locker, err := d.locker(ask.Lease)
	if err != nil {
		return lines.Error(err)
	}
	limited, giveUp := context.WithCancel(context.Background()) // not a deadline: it would end the hold too
	acquire := locker.TryWithContext
	if ask.Verb == "wait" {
		acquire = locker.WithContext
		defer time.AfterFunc(ask.Limit, giveUp).Stop()
	}
	lost, unlock, err := acquire(limited, ask.Name)
	at := lines.Now()
	if errors.Is(err, rueidislock.ErrNotLocked) || errors.Is(err, context.Canceled) {
		return "no"
	}
	if err != nil {
		return lines.Error(err)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.held[ask.Place()] = hold{lost, unlock}
	return fmt.Sprint("ok ", at)
}

func (d *driver) give(place string) string {
	d.mutex.Lock()
	held, ok := d.held[place]
	delete(d.held, place)
	d.mutex.Unlock()
	if !ok {
		return "no"
	}
	wasLost := held.lost.Err() != nil
	before := lines.Now()
	held.unlock()
	if wasLost {
		return "no"
	}
	return fmt.Sprint("ok ", before)
}

func (d *driver) answer(ask lines.Ask) string {
	switch ask.Verb {
	case "give":
		return d.give(ask.Place())
	case "take", "wait":
		return d.take(ask)
	}
	return "error no such verb: " + ask.Verb
}

func main() {
	d := &driver{lockers: map[time.Duration]rueidislock.Locker{}, held: map[string]hold{}}
	lines.Serve(d.answer)
}
