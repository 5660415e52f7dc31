/** The recipe "add a resource", with contacts. CONTRIBUTING.md names the same files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recipe } from './recipe.ts'

/** The new files are in the folder beside, as they stand in the copy; the ending keeps them out of this build. */
const FILES = [
  'src/features/contacts/api.ts',
  'src/features/contacts/contacts.ts',
  'src/features/contacts/contacts.test.ts',
  'src/migrations/9001-contacts.ts',
  'web/src/contacts/fields.ts',
  'web/src/contacts/contacts-page.tsx',
] as const

export const resource: Recipe = {
  edits: [
    {
      file: 'src/features/index.ts',
      after: "import { conflicts } from './conflicts/api.ts'",
      add: ["import { contacts } from './contacts/api.ts'"],
    },
    { file: 'src/features/index.ts', after: 'datacenters,', add: ['  contacts,'] },
    {
      file: 'src/features/handlers.ts',
      after: "import { feature as conflicts } from './conflicts/conflicts.ts'",
      add: ["import { feature as contacts } from './contacts/contacts.ts'"],
    },
    { file: 'src/features/handlers.ts', after: 'datacenters,', add: ['    contacts,'] },
    {
      file: 'src/migrations/index.ts',
      after: "import type { Migration } from '../platform/db/migrate.ts'",
      add: ["import { contacts } from './9001-contacts.ts'"],
    },
    { file: 'src/features/inventory.ts', after: "'datacenters',", add: ["  'contacts',"] },
    {
      file: 'web/src/shell/nav.ts',
      after: "{ ...list('datacenters', 'datacenter'), text: 'Datacenters', icon: Building2, key: 'c' },",
      add: ["  { ...list('contacts', 'contact'), text: 'Contacts', icon: Users, key: 'y' },"],
    },
    {
      file: 'web/src/export/fields.ts',
      after: "import type { Contracts, In } from '../api/contracts.ts'",
      add: ["import { fields as contacts } from '../contacts/fields.ts'"],
    },
    {
      file: 'web/src/export/fields.ts',
      after: 'datacenters: listCellKinds(datacenters),',
      add: ['  contacts: listCellKinds(contacts),'],
    },
    { file: 'src/migrations/index.ts', before: ']', add: ['  contacts,'] },
  ],
  files: FILES.map((file) => ({
    file,
    text: readFileSync(join(import.meta.dirname, 'contacts', `${file}.txt`), 'utf8'),
  })),
}
