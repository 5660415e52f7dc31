import { expect, test } from 'bun:test'
import { parseRenames, toFieldName } from './definition-text.ts'

test('the lines of a form name choices and their new names, also with an equals sign in them', () => {
  expect(parseRenames('gold = platinum\n\n  tin=lead \na=b = c=d\nalone')).toEqual({
    ...{ gold: 'platinum', tin: 'lead', 'a=b': 'c=d', alone: '' },
  })
})

test.each([
  ['Commit kbps', 'commit_kbps'],
  ['A-Ende (Straße)', 'a_ende_stra_e'],
  ['42nd floor', 'nd_floor'],
  ['Größe', 'gro_e'],
  ['数', ''],
])('the name of a field of the label %s is %p', (label, name) => {
  expect(toFieldName(label)).toBe(name)
})
