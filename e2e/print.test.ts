/** What the browser prints, read back from its PDF: labels with their codes, a rack, and a list. */
import { expect, test } from 'bun:test'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { axeFindings, eventually, world } from './harness.ts'

const PUBLIC_URL = 'https://plat.example.net'
const it = world({ devices: 300, env: { PUBLIC_URL } })

const MM_PER_POINT = 25.4 / 72

/** Returns the pages of the PDF of a page, each with its width and height in mm. */
const printPages = async (page: Page): Promise<readonly (readonly [number, number])[]> => {
  const text = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  return [...text.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(
    ([, width, height]) =>
      [Math.round(Number(width) * MM_PER_POINT), Math.round(Number(height) * MM_PER_POINT)] as const,
  )
}

/** Reads the code of a label from the pixels of the screen. */
const readCode = async (page: Page, name: string): Promise<string | undefined> => {
  const picture = await page
    .getByRole('img', { name: `Code of ${name}` })
    .first()
    .screenshot()
  const { data, width, height } = await page.evaluate<{ data: number[]; width: number; height: number }>(`(async () => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64('${picture.toString('base64')}')]))
    const canvas = new OffscreenCanvas(bitmap.width * 2, bitmap.height * 2).getContext('2d')
    canvas.imageSmoothingEnabled = false
    canvas.drawImage(bitmap, 0, 0, bitmap.width * 2, bitmap.height * 2)
    const { data, width, height } = canvas.getImageData(0, 0, bitmap.width * 2, bitmap.height * 2)
    return { data: [...data], width, height }
  })()`)
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data
}

const openLabels = async (page: Page) => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Print labels…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Print labels' })
  await dialog.getByRole('button', { name: 'Print 1 label' }).waitFor()
  return dialog
}

test('labels of a device are printed in their size, with a code of its URL', async () => {
  const oslo = await it.plat.api.datacenters.create({ name: 'Oslo', location: 'Norway' })
  const rack = await it.plat.api.racks.create({ name: 'R7', height: 42, datacenter_id: oslo.id })
  const device = await it.plat.api.devices.create({
    name: 'osl-web-1',
    datacenter_id: oslo.id,
    addresses: [{ ip: '10.210.0.5' }],
    mount: { rack_id: rack.id, position: 12, height: 2 },
  })
  await it.visit(
    async ({ page, open }) => {
      await open(`/devices/${device.id}`)
      const dialog = await openLabels(page)
      const label = dialog.getByRole('region', { name: 'Labels' })
      expect((await label.innerText()).split('\n')).toEqual(['osl-web-1', '10.210.0.5', 'Oslo · R7 · U12–13'])
      expect(await readCode(page, 'osl-web-1')).toBe(`${PUBLIC_URL}/devices/${device.id}`)
      expect(await axeFindings(page)).toEqual([])
      for (const [size, width, height] of [
        ['62 x 29 mm', 62, 29],
        ['57 x 32 mm', 57, 32],
        ['12 mm tape', 50, 12],
        ['A4, 3 x 8', 210, 297],
      ] as const) {
        await dialog.getByLabel('Size').selectOption({ label: size })
        expect([size, await printPages(page)]).toEqual([size, [[width, height]]])
      }
      await dialog.getByLabel('Size').selectOption({ label: 'Own size' })
      await dialog.getByLabel('Width x height in mm').fill('4 x 20')
      await dialog.getByText('A size is two numbers from 8 to 300').waitFor()
      expect(await dialog.getByRole('button', { name: 'Print 1 label' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Width x height in mm').fill('90 x 45')
      expect(await printPages(page)).toEqual([[90, 45]])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      // The page has the size of the paper again.
      expect((await printPages(page))[0]).not.toEqual([90, 45])
      // The size is remembered.
      await openLabels(page)
      expect(await dialog.getByLabel('Width x height in mm').inputValue()).toBe('90 x 45')
    },
    { as: 'admin' },
  )
})

test('racks, ports and cables have labels', async () => {
  const { api } = it.plat
  const rack = await api.racks.create({ name: 'R8', height: 24, location: 'row 2' })
  const [a, b] = await Promise.all(['sw-a', 'sw-b'].map((name) => api.devices.create({ name })))
  if (!a || !b) throw new Error('they are made')
  const port = await api.ports.create({ device_id: a.id, name: 'eth0', type: '1000base-t' })
  const cable = await api.cables.create({
    a: { port_id: port.id },
    b: { device_id: b.id, port: 'eth7' },
    label: 'C-100',
  })
  await it.visit(
    async ({ page, open }) => {
      const readLabel = async (): Promise<string[]> =>
        (await page.getByRole('region', { name: 'Labels' }).innerText()).split('\n')
      await open(`/racks/${rack.id}`)
      await openLabels(page)
      expect(await readLabel()).toEqual(['R8', '24 U', 'row 2'])
      await open(`/ports/${port.id}`)
      await openLabels(page)
      expect(await readLabel()).toEqual(['sw-a · eth0', 'sw-b eth7'])
      await open(`/cables?edit=${cable.id}`)
      await page.getByRole('button', { name: 'Print labels…' }).click()
      await page.getByRole('button', { name: 'Print 1 label' }).waitFor()
      expect(await readLabel()).toEqual(['C-100', 'sw-a eth0 to sw-b eth7'])
      expect(await readCode(page, 'C-100')).toBe(`${PUBLIC_URL}/cables?edit=${cable.id}`)
    },
    { as: 'viewer' },
  )
})

test('selected devices have a label each, in the order of the list', () =>
  it.visit(
    async ({ page, openWhole, requests }) => {
      await openWhole('/devices?q=fra1-r01-hv-01&cols=name')
      const cells = page.getByRole('grid', { name: 'Devices' }).getByRole('gridcell').getByRole('link')
      const names = await cells.allInnerTexts()
      expect(names.length).toBeGreaterThan(1)
      await page.getByLabel('Select all that match').click()
      const bar = page.getByRole('toolbar', { name: 'Selected devices' })
      await bar.getByRole('button', { name: 'Print labels…' }).click()
      await page.getByRole('button', { name: `Print ${names.length} labels` }).waitFor()
      const codes = await page.getByRole('region', { name: 'Labels' }).getByRole('img').all()
      const shown = await Promise.all(codes.map((one) => one.getAttribute('aria-label')))
      expect(shown).toEqual(names.map((name) => `Code of ${name}`))
      // The list holds them.
      expect(requests.filter((line) => /^GET \/api\/devices\/./.test(line))).toEqual([])
    },
    { as: 'admin' },
  ))

/** Makes the browser print nothing, and say that it was asked to. */
const STUB = "window.print = () => { document.documentElement.dataset.printed = '1' }"

test('a list prints all its rows and its visible columns, without the page around it', async () => {
  const count = (await it.plat.api.devices.list({ limit: 1000 })).length
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/devices?cols=name,status')
      await page.evaluate(STUB)
      await page.keyboard.press('Control+p')
      await page.locator('html[data-printed]').waitFor()
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('row').count()).toBe(count + 1)
      expect(await page.locator('nav:visible, button:visible:not([role=columnheader] button)').count()).toBe(0)
      const rows = await page.locator('main').innerText()
      expect(rows).toContain('Devices')
      // Some 30 rows a page.
      const pages = await printPages(page)
      expect(pages.length).toBeGreaterThan(count / 60)
      expect(pages.length).toBeLessThan(count / 20)
      await page.emulateMedia({ media: null })
      await page.evaluate("window.dispatchEvent(new Event('afterprint'))")
      await eventually(async () => (await page.getByRole('row').count()) < 60, true)
    },
    { as: 'viewer' },
  )
})

test('a rack prints both faces on one A4 page', async () => {
  const { api } = it.plat
  const rack = await api.racks.create({ name: 'R9', height: 48 })
  await api.devices.create({ name: 'r9-top', mount: { rack_id: rack.id, position: 48, height: 1 } })
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(`/racks/${rack.id}`)
      const pdf = await page.pdf({ format: 'A4' })
      expect([...pdf.toString('latin1').matchAll(/\/MediaBox/g)]).toHaveLength(1)
      await page.setViewportSize({ width: 718, height: 1046 })
      await page.emulateMedia({ media: 'print' })
      for (const face of ['Front', 'Rear']) {
        const box = await page.getByRole('heading', { name: face }).locator('xpath=..').boundingBox()
        expect((box?.x ?? 1e3) + (box?.width ?? 0)).toBeLessThan(718)
      }
    },
    { as: 'viewer' },
  )
})
