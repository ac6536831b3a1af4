package params

import "strings"

// Meant is the known word that the writer of word probably meant, "" if no known word is similar. A known word is
// returned unchanged.
func Meant(word string, known []string) string {
	best, nearest := "", min(len(word)/3, 2)+1
	for _, candidate := range known {
		if candidate == word {
			return word
		}
		if d := distance(fold(word), fold(candidate)); d < nearest {
			best, nearest = candidate, d
		}
	}
	return best
}

// fold removes the usual differences between spellings of a name: FAILEDTEMP is FAILED_TEMP.
func fold(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(word))
}

// distance is how many letters have to be put in, left out or changed to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}
