/** The recipe "add a kind of source", with a small API that lists machines. CONTRIBUTING.md names the same files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recipe } from './recipe.ts'

/** The new files are in the folder beside, as they stand in the copy; the ending keeps them out of this build. */
const FILES = [
  'src/sources/kinds/machines/kind.ts',
  'src/sources/kinds/machines/snapshot.ts',
  'src/sources/kinds/machines/convert.ts',
  'src/sources/kinds/machines/answers/one/answers.json',
  'src/sources/kinds/machines/answers/one/ORIGIN.md',
] as const

export const sourceKind: Recipe = {
  edits: [
    {
      file: 'src/sources/kinds/names.ts',
      after: "...(['document', 'netbox', 'proxmox', 'vcenter', 'libvirt', 'docker', 'kubernetes', 'aws'] as const),",
      add: ["  'machines',"],
    },
    {
      file: 'src/sources/kinds/index.ts',
      after: "import { libvirt } from './libvirt/kind.ts'",
      add: ["import { machines } from './machines/kind.ts'"],
    },
    { file: 'src/sources/kinds/index.ts', after: 'kubernetes,', add: ['  machines,'] },
    {
      file: 'docs/sources.md',
      after:
        '| `document` | an estate document, or any file that Plat can convert, at a URL or pushed | the right to read the URL |',
      add: ['| `machines` | the machines of a small API | a token that may list machines |'],
    },
  ],
  files: FILES.map((file) => ({
    file,
    text: readFileSync(join(import.meta.dirname, 'machines', `${file}.txt`), 'utf8'),
  })),
}
