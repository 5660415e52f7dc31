// A line of a message leads to a page that exists: of the object, or its list.
import { expect, test } from 'bun:test'
import { EVENT_NAMES } from '../../src/record/events/catalogue.ts'
import { formatLine } from '../../src/record/notifications/line.ts'
import { PAGES } from '../../web/src/pages.ts'

const ID = 'an id/with signs'
const NUMBER = 7
const toPath = (path: string): string =>
  path.replace('$id', path.includes('proposals') ? `${NUMBER}` : encodeURIComponent(ID))
const PATHS: readonly string[] = Object.keys(PAGES).map(toPath)

test.each(EVENT_NAMES)('the link of %s is a page', (event) => {
  const data = JSON.stringify({ id: ID, name: 'x', pool_id: ID, network_id: ID, number: NUMBER })
  expect(PATHS).toContain(formatLine({ event, resource_id: ID, data }, new Map()).link)
})
