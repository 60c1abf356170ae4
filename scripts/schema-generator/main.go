// Command schema-generator prints, as JSON, how one release of the Kubernetes API types lays out the kinds named on its
// command line ("v1/Node", "networking.k8s.io/v1/ServiceCIDR"). It reads Go types and struct tags only.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// field is one field in the order of the Go struct, which is the order of the JSON.
type field struct {
	Number  int    `json:"number"`
	Name    string `json:"name"` // JSON name; empty when the struct is inline
	Letters string `json:"letters"`
	Message string `json:"message,omitempty"`
}

type message struct {
	List   bool    `json:"list"` // a named slice with its own Marshal: one repeated field 1, shown as a bare list
	Fields []field `json:"fields"`
}

type output struct {
	Kinds    map[string]string  `json:"kinds"`
	Messages map[string]message `json:"messages"`
}

// specials have a JSON form of their own, which the codec knows by letter.
var specials = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       "T",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  "M",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":   "D",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":   "F",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "Q",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "I",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "R",
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	wireMarshaler = reflect.TypeFor[interface{ Marshal() ([]byte, error) }]()
)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range groups {
		if err := add(scheme); err != nil {
			fail("%v", err)
		}
	}
	out := output{Kinds: map[string]string{}, Messages: map[string]message{}}
	for _, kind := range os.Args[1:] {
		slash := strings.LastIndex(kind, "/")
		object, err := scheme.New(schema.FromAPIVersionAndKind(kind[:slash], kind[slash+1:]))
		if runtime.IsNotRegisteredError(err) {
			continue // not in this release
		} else if err != nil {
			fail("%v", err)
		}
		out.Kinds[kind] = out.add(reflect.TypeOf(object).Elem())
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(out); err != nil {
		fail("%v", err)
	}
}

// add puts the message of t, and all it reaches, into the output and returns its name.
func (o *output) add(t reflect.Type) string {
	name := messageName(t)
	if _, known := o.Messages[name]; known {
		return name
	}
	o.Messages[name] = message{} // ends recursion
	if t.Kind() == reflect.Slice {
		element := field{Number: 1, Letters: "*"}
		o.classify(&element, t.Elem())
		o.Messages[name] = message{List: true, Fields: []field{element}}
		return name
	}
	fields := []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("protobuf")
		if f.Name == "TypeMeta" {
			continue // only the envelope holds it
		}
		if tag == "" {
			fail("%s.%s has no protobuf tag", t, f.Name)
		}
		fields = append(fields, o.field(f, tag))
	}
	o.Messages[name] = message{Fields: fields}
	return name
}

func (o *output) field(f reflect.StructField, tag string) field {
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil {
		fail("%s: %v", f.Name, err)
	}
	words := strings.Split(f.Tag.Get("json"), ",")
	out := field{Number: number, Name: words[0]}
	t := f.Type
	switch {
	case t.Kind() == reflect.Pointer:
		out.Letters, t = "?", t.Elem()
	case isSlice(t) && !marshalsItself(t):
		out.Letters, t = "*", t.Elem()
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			fail("%s: the map's key is a %s", f.Name, t.Key())
		}
		out.Letters, t = "%", t.Elem()
	}
	for _, word := range words[1:] {
		switch word {
		case "omitempty":
			out.Letters += "-"
		case "omitzero":
			out.Letters += "0"
		case "inline": // older releases say it, all leave the name empty
		default:
			fail("%s: unknown json option %q", f.Name, word)
		}
	}
	if out.Name == "" {
		out.Letters += ">"
	}
	o.classify(&out, t)
	return out
}

// classify puts the kind letter of one element of type t in front of the field's marks.
func (o *output) classify(f *field, t reflect.Type) {
	letter := specials[t.PkgPath()+"."+t.Name()]
	if letter == "" {
		if t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler) {
			fail("%s makes its own JSON and is not listed as special", t)
		}
		letter = letterOf(t)
	}
	f.Letters = letter + f.Letters
	if letter == "m" {
		f.Message = o.add(t)
	}
}

func letterOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32:
		return "i"
	case reflect.Int64:
		return "l"
	case reflect.Struct:
		return "m"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		if marshalsItself(t) {
			return "m"
		}
	}
	fail("no letter for %s", t)
	return ""
}

func isSlice(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

func marshalsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(wireMarshaler)
}

// messageName is the package's last two parts and the type's name: "core.v1.Node", "meta.v1.ObjectMeta".
func messageName(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(append(parts[len(parts)-2:], t.Name()), ".")
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "schema-generator: "+format+"\n", args...)
	os.Exit(1)
}
