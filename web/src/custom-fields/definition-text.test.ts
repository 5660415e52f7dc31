import { expect, test } from 'bun:test'
import { parseRenames } from './definition-text.ts'

test('the lines of a form name choices and their new names, also with an equals sign in them', () => {
  expect(parseRenames('gold = platinum\n\n  tin=lead \na=b = c=d\nalone')).toEqual({
    ...{ gold: 'platinum', tin: 'lead', 'a=b': 'c=d', alone: '' },
  })
})
