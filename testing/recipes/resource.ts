/** The recipe "add a resource", with planned outages. CONTRIBUTING.md names the same files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recipe } from './recipe.ts'

/** The new files are in the folder beside, as they stand in the copy; the ending keeps them out of this build. */
const FILES = [
  'src/inventory/outages/resource.ts',
  'src/inventory/outages/outages.ts',
  'src/inventory/outages/outages.test.ts',
  'src/database/migrations/9001-outages.ts',
] as const

export const resource: Recipe = {
  edits: [
    {
      file: 'src/inventory/resources.ts',
      after: "import { networkFacts } from './networks/resource.ts'",
      add: ["import { outageFacts } from './outages/resource.ts'"],
    },
    { file: 'src/inventory/resources.ts', after: 'datacenterFacts,', add: ['  outageFacts,'] },
    {
      file: 'src/app/handlers.ts',
      after: "import { feature as networks } from '../inventory/networks/networks.ts'",
      add: ["import { feature as outages } from '../inventory/outages/outages.ts'"],
    },
    { file: 'src/app/handlers.ts', after: 'datacenters,', add: ['    outages,'] },
    {
      file: 'src/database/migrations/index.ts',
      after: "import type { Migration } from '../migrate.ts'",
      add: ["import { outages } from './9001-outages.ts'"],
    },
    { file: 'src/database/migrations/index.ts', before: ']', add: ['  outages,'] },
    {
      file: 'web/src/shell/nav.ts',
      after: "{ ...list('datacenters', 'datacenter'), text: 'Datacenters', icon: Building2, key: 'c' },",
      add: ["          { ...list('outages', 'outage'), text: 'Outages', icon: CalendarClock, key: 'O' },"],
    },
  ],
  files: FILES.map((file) => ({
    file,
    text: readFileSync(join(import.meta.dirname, 'outages', `${file}.txt`), 'utf8'),
  })),
}
