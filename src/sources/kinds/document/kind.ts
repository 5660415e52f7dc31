/** Any URL or pushed file with an estate document, or with a format that an import reads. */
import { RESOURCES } from '../../../inventory/resources.ts'
import type { SourceKind } from '../source-kind.ts'
import { DocumentOptions, OPTION_SPECS } from './options.ts'
import { fromFile, toFile } from './snapshot.ts'

export const document: SourceKind = {
  kind: 'document',
  title: 'Document',
  description:
    'An estate document, a spreadsheet, an export of another program or a list of hosts: at a URL, or pushed',
  needs: 'the right to read the URL',
  makesAll: true,
  // Leases that expire.
  dependsOnTime: ({ hosts }) => hosts === 'devices',
  secrets: [
    { name: 'token', description: 'Sent as Authorization: Bearer', required: false },
    { name: 'header_value', description: 'The value of the header that the option header names', required: false },
  ],
  options: OPTION_SPECS,
  Options: DocumentOptions,
  types: RESOURCES.map(({ noun }) => noun),
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: async (means) => (await import('./fetch.ts')).fetchDocument(means),
  test: async (means) => {
    await (await import('./fetch.ts')).fetchDocument(means)
  },
  convert: async (snapshot, means) => (await import('./convert.ts')).convertDocument(snapshot, means),
  fromFile,
  toFile,
}
