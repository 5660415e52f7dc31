// The example document with the fields of NetBox: it fits an empty Plat, and one with an imported NetBox, before and after.
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { rest } from '../../testing/netbox/forms.ts'
import { runCommand } from '../../testing/run-command.ts'

const EXAMPLE = join(import.meta.dir, '../../examples/netbox-fields.yaml')

type Run = (...argv: string[]) => ReturnType<typeof runCommand>

/** Runs a test on an empty Plat, with a file of a NetBox. */
const withPlat = async (work: (plat: { run: Run; app: TestApp; netbox: string }) => Promise<void>): Promise<void> => {
  const app = await testApp()
  const folder = mkdtempSync(join(tmpdir(), 'plat-netbox-fields-'))
  try {
    const { key } = await app.as('admin')
    const netbox = join(folder, 'netbox.json')
    writeFileSync(netbox, rest('4.6'))
    await work({ run: (...argv) => runCommand({ app, key }, { argv }), app, netbox })
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const apply = (run: Run) => run('apply', '-f', EXAMPLE, '--yes')
const importInto = (run: Run, netbox: string) => run('import', 'netbox', netbox, '--yes')
const DONE = { code: 0 }
const NOTHING = { code: 0, err: 'Nothing to do.\n' }

describe('the fields of NetBox', () => {
  test('are made in an empty Plat, and a second apply changes nothing', () =>
    withPlat(async ({ run }) => {
      expect(await apply(run)).toMatchObject(DONE)
      expect(await apply(run)).toMatchObject(NOTHING)
    }))

  test('agree with a NetBox that is imported afterwards', () =>
    withPlat(async ({ run, netbox }) => {
      expect(await apply(run)).toMatchObject(DONE)
      expect(await importInto(run, netbox)).toMatchObject(DONE)
      expect(await apply(run)).toMatchObject(NOTHING)
    }))

  test('agree with a NetBox that was imported before, and keep its choices', () =>
    withPlat(async ({ run, netbox }) => {
      const listRoles = async () => {
        const { out } = await run('custom-field', 'list', '--resource', 'vlans', '-o', 'json')
        const fields = JSON.parse(out) as readonly { name: string; choices: string[] }[]
        return fields.find(({ name }) => name === 'role')?.choices
      }
      expect(await importInto(run, netbox)).toMatchObject(DONE)
      expect(await listRoles()).toEqual(['Production'])
      expect(await apply(run)).toMatchObject(DONE)
      expect(await listRoles()).toEqual(['Production', 'Management'])
      expect(await apply(run)).toMatchObject(NOTHING)
      const again = await importInto(run, netbox)
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('0 to create, 0 to change, 0 to delete')])
    }))
})
