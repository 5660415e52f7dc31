import { describe, expect, test } from 'bun:test'
import { SECRET } from '../../../../testing/netbox/estate.ts'
import { dumpdata, pgDump, rest, VERSIONS, type Version } from '../../../../testing/netbox/forms.ts'
import type { Conversion } from '../converter.ts'
import { convertNetbox } from './netbox.ts'

const convert = async (text: string): Promise<Conversion> =>
  convertNetbox(new TextEncoder().encode(text), { now: new Date(0) })

const FORMS = {
  dumpdata: (version: Version) => dumpdata(version),
  'dumpdata with natural keys': (version: Version) => dumpdata(version, { natural: true }),
  pg_dump: pgDump,
  rest: (version: Version) => rest(version),
  'rest in pages': (version: Version) => rest(version, { paged: true }),
} as const

const cases = VERSIONS.flatMap((version) => Object.entries(FORMS).map(([form, write]) => ({ version, form, write })))

test.each(cases)(
  'NetBox $version as $form gives the same document as the newest one as dumpdata',
  async ({ version, write }) => {
    const expected = await convert(dumpdata(version === '2.11' ? '2.11' : '4.6'))
    expect((await convert(write(version))).documents).toEqual(expected.documents)
  },
)
