/** The fields of a scanner. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields } from '../resource/facts/from-facts.ts'
import { formatStatus, listLabels } from './labels.ts'
import type { Scanner } from './queries.ts'

const MORE = { section: 'More' } as const
/** Shown in parts of the page, and in no form. */
const REPORTED = { isSearched: false, column: false, filter: false, isDetail: false } as const

export const fields = buildFields<typeof FACTS.scanners, Scanner>(FACTS.scanners, {
  name: {
    form: { hint: 'Of the site or the machine. Networks name it as their scanner.' },
    column: { width: 180 },
    filter: {
      name: 'label',
      test: (scanner, value) => listLabels(scanner).some((label) => label.toLowerCase() === value),
    },
  },
  description: { form: MORE, column: { width: 220 } },
  tags: {
    form: {
      hint: 'With commas between them. Networks may name a tag too, so that several scanners stand in for each other.',
    },
  },
  use_credentials: {
    label: 'Use credentials',
    form: {
      ...MORE,
      hint: 'Deep scans sign in with the stored credentials, which are sent encrypted for this scanner only. Otherwise they go without.',
    },
    column: { text: 'Credentials' },
  },
  status: {
    label: 'State',
    text: ({ status }) => formatStatus(status),
    isSearched: true,
    column: { width: 110, isEssential: true },
    filter: { test: 'begins', hasFacet: true },
    isDetail: false,
  },
  version: { column: { width: 130 }, filter: { test: 'begins', hasFacet: true }, isSearched: true, isDetail: false },
  hostname: { label: 'Host name', column: { width: 150 }, isSearched: true, isDetail: false },
  ip_address: { column: { width: 130, isMono: true }, isSearched: true, isDetail: false },
  last_seen_at: {
    label: 'Last seen',
    column: { id: 'seen', width: 120 },
    sort: ({ last_seen_at }) => (last_seen_at === null ? 0 : -Date.parse(last_seen_at)),
    isDetail: false,
  },
  protocol: { isDetail: true },
  links: { ...REPORTED, label: 'Networks it is in', isSearched: true },
  created_at: { isDetail: true },
})
