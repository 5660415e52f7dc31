// Choices in composed and decomposed letters are one choice, also those that older programs stored.
import { describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

const DECOMPOSED = 'Gru\u0308n'
const COMPOSED = 'Gr\u00fcn'

describe.each(engines())('choices on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = (name: string, choices: readonly string[], more: object = {}) =>
    inv.ask('POST /api/custom-fields', {
      id: `cf-${name}`,
      resource: 'devices',
      name,
      type: 'choice',
      choices,
      ...more,
    })
  const readChoices = async (name: string) =>
    ((await inv.ask(`GET /api/custom-fields/cf-${name}`)).body as { choices: string[] }).choices
  const createDevice = async (custom: object) =>
    (await inv.ask('POST /api/devices', { name: 'one', custom })).body as { readonly id: string; custom: object }
  const count = async (filter: string) => (await inv.ask(`GET /api/devices?${filter}`)).total
  /** Stores the choices as a program of an earlier release has written them. */
  const storeChoices = (name: string, choices: readonly string[]) =>
    inv.app.db.write(({ db }) =>
      db
        .updateTable('custom_fields')
        .set({ choices: JSON.stringify(choices) })
        .where('id', '=', `cf-${name}`)
        .execute(),
    )

  test('choices, the default and values are stored in composed letters, whichever form is sent', async () => {
    const made = await define('color', [DECOMPOSED, COMPOSED, 'Rot'], { default: DECOMPOSED })
    expect(made.body).toMatchObject({ choices: [COMPOSED, 'Rot'], default: COMPOSED })
    expect(await createDevice({ color: DECOMPOSED })).toMatchObject({ custom: { color: COMPOSED } })
    for (const form of [COMPOSED, DECOMPOSED, DECOMPOSED.toUpperCase()])
      expect(await count(`custom.color=${encodeURIComponent(form)}`)).toBe('1')
  })

  test('choices that differ in case and form are refused', async () => {
    expect(await define('twice', [COMPOSED, DECOMPOSED.toUpperCase()])).toMatchObject(refusal('choices'))
  })

  test('stored choices in decomposed letters are found in both forms, and change with their objects when they are written', async () => {
    await define('old', ['Blau', 'Rot'], { multiple: true })
    await storeChoices('old', [DECOMPOSED, 'Rot'])
    const { id, custom } = await createDevice({ old: [COMPOSED, 'Rot'] })
    expect(custom).toMatchObject({ old: [DECOMPOSED, 'Rot'] })
    for (const form of [COMPOSED, DECOMPOSED]) expect(await count(`custom.old=${encodeURIComponent(form)}`)).toBe('1')
    await inv.ask('PUT /api/custom-fields/cf-old', { description: 'changed' })
    expect(await readChoices('old')).toEqual([DECOMPOSED, 'Rot'])
    const written = await inv.ask('PUT /api/custom-fields/cf-old', { choices: [DECOMPOSED, 'Rot', 'Blau'] })
    expect(written).toMatchObject({ status: 200, body: { choices: [COMPOSED, 'Rot', 'Blau'] } })
    expect((await inv.ask(`GET /api/devices/${id}`)).body).toMatchObject({ custom: { old: [COMPOSED, 'Rot'] } })
    for (const form of [COMPOSED, DECOMPOSED]) expect(await count(`custom.old=${encodeURIComponent(form)}`)).toBe('1')
  })

  test('a stored choice in decomposed letters is renamed by either form', async () => {
    await define('renamed', ['Blau'])
    await storeChoices('renamed', [DECOMPOSED])
    const { id } = await createDevice({ renamed: COMPOSED })
    const renamed = await inv.ask('PUT /api/custom-fields/cf-renamed', { rename_choices: { [COMPOSED]: 'Tanne' } })
    expect(renamed).toMatchObject({ status: 200, body: { choices: ['Tanne'] } })
    expect((await inv.ask(`GET /api/devices/${id}`)).body).toMatchObject({ custom: { renamed: 'Tanne' } })
  })

  test('a stored choice that an update leaves out is still refused while an object has it', async () => {
    await define('kept', ['Blau'])
    await storeChoices('kept', [DECOMPOSED, 'Blau'])
    await createDevice({ kept: COMPOSED })
    expect(await inv.ask('PUT /api/custom-fields/cf-kept', { choices: ['Blau'] })).toMatchObject(refusal('choices'))
  })
})
