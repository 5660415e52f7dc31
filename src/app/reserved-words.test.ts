// The words that no kind has as its id.
import { expect, test } from 'bun:test'
import { program } from './cli.ts'
import { listReservedWords } from './reserved-words.ts'

test('are the first words of all commands, and nouns of operations in the singular and plural', () => {
  const words = listReservedWords()
  const commands = program.specials.flatMap(({ isHidden, words: [word = ''] }) => (isHidden ? [] : [word]))
  expect(commands.filter((word) => !words.has(word))).toEqual([])
  expect(['devices', 'device', 'dns-zones', 'system', 'kinds', 'object'].filter((word) => !words.has(word))).toEqual([])
})
