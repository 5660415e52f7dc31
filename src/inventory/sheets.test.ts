/** The columns of spreadsheets and the fields of the contracts are the same. */
import { expect, test } from 'bun:test'
import { getInputSchema } from '../contract/input-schema.ts'
import { getRules } from '../exchange/apply/resources.ts'
import { INVENTORY } from './resources.ts'
import { getSheet } from './sheets.ts'

test.each([...INVENTORY])('a column of %s may hold each field of its rows, and no other', (resource) => {
  const { draft, level } = getRules(resource)
  const fields = [...Object.keys(getInputSchema(draft).properties ?? {}), ...level.references.map(({ as }) => as)]
  expect(new Set(Object.keys(getSheet(resource).fields))).toEqual(new Set(['id', ...fields]))
})
