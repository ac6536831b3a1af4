package query

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// document has an attribute of every kind.
const document = `{
	"name": "edge-1", "empty": "", "state": "INSTANTIATED", "flag": true, "level": 3, "ratio": 0.5, "at": "2030-01-02T03:04:05Z",
	"info": {"flavourId": "ha", "nothing": null},
	"vnfcs": [{"id": "r1", "levels": [1, 2]}, {"id": "r2", "storage": {"id": "s'1"}}, ["deep"]],
	"vims": {"vim1": {"vimId": "a"}, "vim2": {"vimId": "b"}},
	"odd": {"a/b": 1, "~": 2, "x,y": 3, "@key": 4, "p(q)": 5}
}`

func TestFilter_matches(t *testing.T) {
	var doc any
	require.NoError(t, json.Unmarshal([]byte(document), &doc))
	for text, want := range map[string]bool{
		"(eq,name,edge-1)": true, "(eq,name,edge)": false, "(eq,name,Edge-1)": false, "(eq,empty,)": true,
		"(neq,name,edge)": true, "(neq,name,edge-1)": false,
		"(in,name,a,edge-1)": true, "(in,name,a,b)": false, "(nin,name,a,b)": true, "(nin,name,a,edge-1)": false,
		"(cont,name,dge)": true, "(cont,name,x,ed)": true, "(ncont,name,x,y)": true, "(ncont,name,x,ed)": false,
		"(gt,name,edge-0)": true, "(gte,name,edge-1)": true, "(lt,name,edge-1)": false, "(lte,name,edge-1)": true,
		// Numbers and booleans are compared as such,
		"(eq,level,3)": true, "(eq,level,3.0)": true, "(eq,level,03)": false, "(gt,level,10)": false, "(lt,level,10)": true,
		"(gte,ratio,0.50)": true, "(eq,level,three)": false, "(neq,level,three)": true, "(cont,level,3)": false,
		"(eq,flag,true)": true, "(eq,flag,1)": false, "(neq,flag,false)": true, "(gt,flag,false)": true,
		// and so are times, in every zone.
		"(eq,at,2030-01-02T04:04:05%2B01:00)": false, "(eq,at,2030-01-02T04:04:05+01:00)": true,
		"(gt,at,2030-01-02T03:04:04.9Z)": true,
		"(lt,at,2030-01-02)":             false,
		// A missing attribute never matches.
		"(eq,absent,x)": false, "(neq,absent,x)": false, "(neq,info,x)": false, "(neq,info/nothing,x)": false,
		"(eq,name/x,edge-1)": false,
		// One matching element of an array is enough.
		"(eq,vnfcs/id,r2)": true, "(neq,vnfcs/id,r2)": true, "(eq,vnfcs/levels,2)": true,
		"(eq,vnfcs/storage/id,'s''1')": true,
		"(eq,vnfcs,deep)":              false,
		// Maps are entered by key.
		"(eq,vims/vim2/vimId,b)": true, "(eq,vims/vimId,b)": false, "(eq,vims/@key,vim2)": true, "(cont,vims/@key,im1)": true,
		"(nin,vims/@key,vim1,vim2)": false, "(eq,name/@key,edge-1)": false,
		// Escapes.
		"(eq,odd/a~1b,1)": true, "(eq,odd/~0,2)": true, "(eq,odd/x~ay,3)": true, "(eq,odd/~bkey,4)": true,
		"(eq,odd/@key,x)":     false,
		"(eq,odd/@key,'x,y')": true, "(eq,odd/@key,@key)": true,
		// All expressions must match.
		"(eq,name,edge-1);(eq,level,3)": true, "(eq,name,edge-1);(eq,level,4)": false,
	} {
		f, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, f.Matches(doc), text)
	}
}

func TestParse_boundsWhatTheDatabaseHasToCompare(t *testing.T) {
	_, err := Parse("(cont,metadata/k,v" + strings.Repeat(",v", 99) + ")")
	require.NoError(t, err)
	_, err = Parse("(cont,metadata/k,v" + strings.Repeat(",v", 100) + ")")
	require.ErrorContains(t, err, "more than 100 values")
	_, err = Parse(strings.TrimSuffix(strings.Repeat("(eq,a,b);", 21), ";"))
	require.ErrorContains(t, err, "more than 20 expressions")
}

func TestParse_saysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "must be like (eq,attribute,value)",
		"name":                      "must be like",
		"(eq,name,a":                "no closing parenthesis",
		"(eq,name)":                 "needs an attribute and a value",
		"(like,name,a)":             "none of the operators eq, neq",
		"(eq)":                      "none of the operators",
		"(eq,name,a,b)":             "takes one value with eq",
		"(eq,,a)":                   "needs an attribute like",
		"(eq,a//b,c)":               "needs an attribute like",
		"(eq,@key,a)":               "the name of a map before @key",
		"(eq,a/@key/b,c)":           "a name after @key",
		"(eq,name,'a)":              "no closing quote",
		"(eq,name,'a'b)":            "no closing parenthesis",
		"(eq,name,it's)":            "a quote within the value",
		"(eq,name,a)(eq,name,b)":    "expects ';'",
		"(eq,name,a);":              "must be like",
		"(eq,name,\x00)":            "NUL",
		"(eq,name,\xff)":            "UTF-8",
		"(in,name,a,'b','c'd,'e')":  "no closing parenthesis",
		"(eq,(name),a)":             "needs an attribute like",
		" (eq,name,a)":              "must be like",
		"(eq,name,a);;(eq,name,b)":  "must be like",
		"(eq,name,a);(eq,name,'b''": "no closing quote",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"(eq,a/b,'it''s');(in,a/@key,1,2)", "(cont,~0~1~a~b,)", "(gt,at,2030-01-02T03:04:05Z)",
		"(nin,a,'')",
	} {
		f.Add(seed, document)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		parsed, err := Parse(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := Parse(parsed.String())
		require.NoError(t, err, parsed.String())
		require.Equal(t, parsed, again)
		var doc any
		if json.Unmarshal([]byte(body), &doc) == nil {
			require.Equal(t, parsed.Matches(doc), again.Matches(doc))
		}
	})
}
