// The description of scopes on the consent page.
import { expect, test } from 'bun:test'
import { CATALOGUE } from '../../../src/people/roles/catalogue.ts'
import { buildLines, isReadScope, joinDescriptions } from './scopes.ts'

test.each([
  [['List devices'], 'List devices'],
  [['List devices', 'Read devices'], 'List and read devices'],
  [['List devices', 'Read devices', 'Create devices'], 'List, read and create devices'],
  [['Detect conflicts', 'Resolve or ignore conflicts'], 'Detect and resolve or ignore conflicts'],
  [["List other people's API keys", "Read other people's API keys"], "List and read other people's API keys"],
  [['List devices', 'Read networks'], 'List devices; Read networks'],
])('%p', (descriptions, text) => expect(joinDescriptions(descriptions)).toBe(text))

test('every scope of the catalog is in exactly one line', () => {
  const names = [
    ...buildLines(CATALOGUE.filter(isReadScope)),
    ...buildLines(CATALOGUE.filter((one) => !isReadScope(one))),
  ].flatMap((line) => line.names)
  expect(names.toSorted()).toEqual(CATALOGUE.map(({ name }): string => name).toSorted())
})

test('a write permission is never among the read permissions', () => {
  const changing = CATALOGUE.filter((one) => !isReadScope(one)).map(({ action }) => action)
  expect([...new Set(changing)].toSorted()).toEqual([
    'approve',
    'check',
    'create',
    'delete',
    'detect',
    'push',
    'resolve',
    'run',
    'share',
    'sync',
    'test',
    'update',
  ])
})
