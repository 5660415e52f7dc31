import { expect, test } from 'bun:test'
import { parseDotenv } from './dotenv.ts'

test.each([
  ['A=1', '1'],
  ['  export A=1  ', '1'],
  ['\ufeffA=1', '1'],
  ['A=', ''],
  ['A= # nothing', ''],
  ['A=two words # a comment', 'two words'],
  ['A=p#ss', 'p#ss'],
  ['A=b=c', 'b=c'],
  ['A="two # words" # a comment', 'two # words'],
  ['A="line\\nnext \\"quoted\\" \\\\ \\x"', 'line\nnext "quoted" \\ \\x'],
  ["A='as it \\n is'", 'as it \\n is'],
  ['A=1\r\nA=2\r\n', '2'],
  ['# A=1\n\nA=3', '3'],
])('%j', (content, value) => {
  expect(parseDotenv(content)).toEqual({ values: { A: value }, problems: [] })
})

test.each(['A', '=1', 'A = 1', '1A=1', 'A-B=1', 'A="open', "A='open", 'A="closed" more', 'A: 1'])(
  '%j is malformed',
  (line) => {
    expect(parseDotenv(`# first\n${line}\nB=2`)).toEqual({
      values: { B: '2' },
      problems: ['.env line 2: must have the form KEY=VALUE'],
    })
  },
)
