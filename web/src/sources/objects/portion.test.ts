import { expect, test } from 'bun:test'
import { formatPortion, MOST_NAMED, takePortion } from './portion.ts'
import type { SourceObject } from './queries.ts'

const build = (resource: string, count: number): SourceObject[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: `${resource} ${at}`, source_id: 's', source: 'Lab', resource, key: `${at}`, type: '', place: '' },
    ...{ name: `${at}`, object_id: null, state: 'changed', action: 'create', fields: {}, kept: {}, why: '' },
    ...{ because: '', message: '', missing_since: null, facts: {}, first_seen_at: '', updated_at: '' },
  }))

test('a selection that one call can name is named in its order', () => {
  const chosen = [...build('networks', 1), ...build('spaces', MOST_NAMED - 1)]
  expect(takePortion(chosen)).toEqual(chosen)
  expect(formatPortion(chosen.length)).toBe('1,000')
})

test('a larger selection is named in portions, and spaces come before their networks', () => {
  const chosen = [...build('networks', MOST_NAMED), ...build('spaces', 2)]
  const named = takePortion(chosen)
  expect(named).toHaveLength(MOST_NAMED)
  expect(named.slice(0, 3).map(({ id }) => id)).toEqual(['spaces 0', 'spaces 1', 'networks 0'])
  expect(formatPortion(chosen.length)).toBe('1,000 of 1,002')
})
