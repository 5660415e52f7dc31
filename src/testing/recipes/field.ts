/** The recipe "add a field", with `serial` of a device. CONTRIBUTING.md shows the same lines. */
import type { Recipe } from './recipe.ts'

export const field: Recipe = {
  edits: [
    { file: 'src/features/devices/schema.ts', after: 'hostname: z.string(),', add: ['    serial: z.string(),'] },
    { file: 'src/features/devices/api.ts', after: 'description: text(4096),', add: ['  serial: text(64),'] },
    {
      file: 'src/migrations/index.ts',
      after: "import type { Migration } from '../platform/db/migrate.ts'",
      add: ["import { deviceSerial } from './9001-device-serial.ts'"],
    },
    { file: 'src/migrations/index.ts', before: ']', add: ['  deviceSerial,'] },
    {
      file: 'web/src/devices/fields.ts',
      after: "location: { label: 'Location', form: { isHalf: true } },",
      add: ["  serial: { label: 'Serial number' },"],
    },
  ],
  files: [
    {
      file: 'src/migrations/9001-device-serial.ts',
      text: `/** Devices have a serial number. */
import type { Migration } from '../platform/db/migrate.ts'

export const deviceSerial: Migration = {
  name: '9001-device-serial',
  floor: 'this',
  statements: () => [\`UPDATE devices SET doc = substr(doc, 1, length(doc) - 1) || ',"serial":""}'\`],
}
`,
    },
  ],
}
