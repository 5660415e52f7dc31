// Makes the calls of the Terraform provider for NetBox with its own client: create, PUT or PATCH, GET and delete. Fails if
// the three answers differ. Prints one line of JSON for each object that it has read back: provider URL TOKEN.
package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"reflect"

	"github.com/fbreckle/go-netbox/netbox/client"
	"github.com/go-openapi/runtime"
	openapi "github.com/go-openapi/runtime/client"
)

// run has the client and what ends the run: the deletions, newest first.
type run struct {
	api     *client.NetBoxAPI
	removes []func() error
}

func main() {
	target, err := url.Parse(os.Args[1])
	check("url", err)
	transport := openapi.New(target.Host, target.Path+client.DefaultBasePath, []string{target.Scheme})
	transport.DefaultAuthentication = openapi.APIKeyAuth("Authorization", "header", "Token "+os.Args[2])
	r := &run{api: client.New(transport, nil)}
	made := &numbers{}
	r.names(made)
	r.networks(made)
	r.devices(made)
	for i := len(r.removes) - 1; i >= 0; i-- {
		check("delete", r.removes[i]())
	}
}

// check ends the program with the request that failed.
func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

// object has the calls of one object; without update, nothing is sent again. P is its type in answers.
type object[P any] struct {
	name   string
	create func() (P, error)
	update func(int64) (P, error)
	read   func(int64) (P, error)
	remove func(int64) error
}

// keep creates an object, updates it by the same values, reads it, and compares the answers.
func keep[P any](r *run, o object[P]) int64 {
	created, err := o.create()
	check("create "+o.name, err)
	id := int64(comparable(created)["id"].(float64))
	if o.update != nil {
		updated, err := o.update(id)
		check("update "+o.name, err)
		read, err := o.read(id)
		check("read "+o.name, err)
		compare(o.name+": update and read", comparable(updated), comparable(read))
	}
	read, err := o.read(id)
	check("read "+o.name, err)
	if o.update == nil {
		compare(o.name+": create and read", comparable(created), comparable(read))
	}
	show(o.name, comparable(read))
	r.removes = append(r.removes, func() error {
		if err := o.remove(id); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		_, err := o.read(id)
		gone, ok := err.(runtime.ClientResponseStatus)
		if !ok || !gone.IsCode(404) {
			return fmt.Errorf("%s: read after its deletion: %v", o.name, err)
		}
		return nil
	})
	return id
}

// comparable returns the fields of an answer without the times.
func comparable(answer any) map[string]any {
	text, err := json.Marshal(answer)
	check("marshal", err)
	fields := map[string]any{}
	check("unmarshal", json.Unmarshal(text, &fields))
	delete(fields, "created")
	delete(fields, "last_updated")
	return fields
}

func compare(what string, one, other map[string]any) {
	if reflect.DeepEqual(one, other) {
		return
	}
	a, _ := json.Marshal(one)
	b, _ := json.Marshal(other)
	check(what, fmt.Errorf("differ:\n%s\n%s", a, b))
}

// show prints the plain fields: those that the client has sent.
func show(name string, fields map[string]any) {
	shown := map[string]any{"object": name}
	for key, value := range fields {
		switch key {
		case "id", "url", "display", "display_url":
			continue
		}
		shown[key] = flatten(value)
	}
	text, err := json.Marshal(shown)
	check("marshal", err)
	fmt.Println(string(text))
}

// flatten returns the name of a nested object, or the value of a choice.
func flatten(value any) any {
	switch found := value.(type) {
	case map[string]any:
		for _, key := range []string{"value", "name", "model", "address", "prefix", "vid"} {
			if inner, ok := found[key]; ok {
				return inner
			}
		}
	case []any:
		all := []any{}
		for _, one := range found {
			all = append(all, flatten(one))
		}
		return all
	}
	return value
}

// payload returns the object of an answer.
func payload[P any, R interface{ GetPayload() P }](answer R, err error) (P, error) {
	if err != nil {
		var none P
		return none, err
	}
	return answer.GetPayload(), nil
}

func pointer[T any](value T) *T { return &value }
