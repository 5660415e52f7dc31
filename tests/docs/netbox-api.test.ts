// The page of the NetBox API names each endpoint with its filters, and each empty list.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY } from '../../src/netbox/endpoint/declared.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/netbox-api.md'), 'utf8')

const rows = new Map(
  [...page.matchAll(/^\| `([a-z-]+\/[a-z-]+)` \| [^|]+ \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, path = '', written = '', filters = '']) => [path, { written: written.trim(), filters }] as const,
  ),
)

const PLACES = ['site', 'region', 'site_group', 'location']

/** Returns the filters that a row names, with the ones that its words stand for. */
const listNamed = (text: string): string[] => {
  const named = [...text.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => name)
  return [...named, ...(text.includes('places') ? PLACES : []), ...(text.includes('tags') ? ['tag'] : [])]
}

describe('docs/netbox-api.md', () => {
  const endpoints = REGISTERED.flatMap(({ use }) =>
    use(({ path, filters, writes }) => ({
      path,
      isWritten: writes?.create !== undefined,
      filters: Object.keys(filters).filter(
        (name) => name !== 'q' && !(name.endsWith('_id') && Object.hasOwn(filters, name.slice(0, -3))),
      ),
    })),
  )

  test('names each endpoint', () => {
    expect([...rows.keys()].toSorted()).toEqual(endpoints.map(({ path }): string => path).toSorted())
  })

  test.each(endpoints)('names the filters of $path', ({ path, filters, isWritten }) => {
    const row = rows.get(path)
    expect([row?.written, listNamed(row?.filters ?? '').toSorted()]).toEqual([
      isWritten ? 'yes' : '',
      filters.toSorted(),
    ])
  })

  test('names each empty list', () => {
    expect(Object.keys(EMPTY).filter((path) => !page.includes(`\`${path}\``))).toEqual([])
  })
})
