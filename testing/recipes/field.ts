/** The recipes "add a field": `purpose` of a rack, a column, and `firmware` of a device, a stored document. */
import type { Edit, Recipe } from './recipe.ts'

type Field = {
  readonly resource: string
  /** The line of the facts that the new one goes after. */
  readonly after: string
  readonly line: string
  readonly migration: string
  readonly name: string
  readonly comment: string
  readonly floor: string
  readonly statement: string
}

const buildField = ({ resource, after, line, migration, name, comment, floor, statement }: Field): Recipe => {
  const registered: readonly Edit[] = [
    {
      file: 'src/database/migrations/index.ts',
      after: "import type { Migration } from '../migrate.ts'",
      add: [`import { ${name} } from './${migration}.ts'`],
    },
    { file: 'src/database/migrations/index.ts', before: ']', add: [`  ${name},`] },
  ]
  const text = `/** ${comment} */
import type { Migration } from '../migrate.ts'

export const ${name}: Migration = {
  name: '${migration}',
  floor: '${floor}',
  statements: ${statement},
}
`
  return {
    edits: [{ file: `src/inventory/${resource}/resource.ts`, after, add: [line] }, ...registered],
    files: [{ file: `src/database/migrations/${migration}.ts`, text }],
  }
}

export const columnField = buildField({
  resource: 'racks',
  after: "location: { type: 'text', max: 255, description: 'Room and row', answer: '' },",
  line: "    purpose: { type: 'text', max: 64, description: 'Such as storage' },",
  migration: '9001-rack-purpose',
  name: 'rackPurpose',
  comment: 'Racks have a purpose.',
  floor: 'unchanged',
  statement: '() => ["ALTER TABLE racks ADD COLUMN purpose TEXT NOT NULL DEFAULT \'\'"]',
})

export const documentField = buildField({
  resource: 'devices',
  after: "hostname: { type: 'text', max: 253, rule: 'HOST_NAME' },",
  line: "    firmware: { type: 'text', max: 64 },",
  migration: '9001-device-firmware',
  name: 'deviceFirmware',
  comment: 'Devices have a firmware.',
  floor: 'this',
  statement: '() => [`UPDATE devices SET doc = substr(doc, 1, length(doc) - 1) || \',"firmware":""}\'`]',
})
