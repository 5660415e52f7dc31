/** The mounted devices of a rack, on both faces, as an object and as an image. */
import type { Elevation, MountedDevice, Rack } from './api.ts'
import type { Face } from './mount.ts'
import { computeUsage, isInside, listFaces, parseSlot, toRackPlace } from './placement.ts'
import type { MountedIn } from './store.ts'

const toMountedDevice = ({
  id,
  name,
  status,
  make_model,
  mount: { rack_id: _, ...place },
}: MountedIn): MountedDevice => ({
  device_id: id,
  name,
  status,
  make_model,
  ...place,
})

const byPosition = (a: MountedDevice, b: MountedDevice): number =>
  (a.position ?? 0) - (b.position ?? 0) || parseSlot(a.slot).from - parseSlot(b.slot).from

/** @param devices by name */
export const buildElevation = (rack: Rack, devices: readonly MountedIn[]): Elevation => {
  const placed = devices.filter(({ mount }) => toRackPlace(mount))
  const on = (face: Face) =>
    placed
      .filter(({ mount }) => listFaces(mount).includes(face))
      .map(toMountedDevice)
      .sort(byPosition)
  return {
    rack,
    usage: computeUsage(
      rack,
      devices.map(({ mount }) => mount),
    ),
    front: on('front'),
    rear: on('rear'),
    unplaced: devices.filter(({ mount }) => !toRackPlace(mount)).map(toMountedDevice),
  }
}

/** Sizes in pixels. */
const UNIT = 22
const WIDTH = 264
const MARGIN = 34
const TITLE = 30

/** XML 1.0 has no other control characters, not even as references. */
const INVALID = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Characters that change the direction of the text around them. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Returns text as the content of an XML element or attribute. */
const escapeXml = (text: string): string =>
  text
    .replace(INVALID, '\ufffd')
    .replace(DIRECTIONS, '')
    .replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one)

const FILLS: Readonly<Record<MountedDevice['status'], string>> = {
  planned: 'url(#planned)',
  active: '#dbeafe',
  maintenance: 'url(#maintenance)',
  decommissioned: '#e5e7eb',
}

const PATTERNS =
  '<defs>' +
  '<pattern id="planned" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="#ffffff"/><circle cx="4" cy="4" r="1.2" fill="#6b7280"/></pattern>' +
  '<pattern id="maintenance" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="8" height="8" fill="#fef3c7"/><rect width="3" height="8" fill="#fcd34d"/></pattern>' +
  '</defs>'

/** The width of a character of the labels, at most. */
const CHARACTER = 7

const limitText = (text: string, width: number): string => {
  const most = Math.max(1, Math.floor((width - 8) / CHARACTER))
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

/** Returns the distance of a place from the top of the rack. */
const computeTop = (
  rack: Rack,
  { position, height }: { readonly position: number; readonly height: number },
): number => {
  const above =
    rack.numbering === 'top_down' ? position - rack.first_unit : rack.height - (position - rack.first_unit) - height
  return TITLE + above * UNIT
}

const renderUnitLabels = (rack: Rack): string =>
  Array.from({ length: rack.height }, (_, index) => {
    const unit = rack.first_unit + index
    const y = computeTop(rack, { position: unit, height: 1 })
    return (
      `<rect x="${MARGIN}" y="${y}" width="${WIDTH}" height="${UNIT}" fill="none" stroke="#d1d5db"/>` +
      `<text x="${MARGIN - 6}" y="${y + UNIT / 2}" text-anchor="end" fill="#6b7280">${unit}</text>`
    )
  }).join('')

const renderDevice = (rack: Rack, face: Face, device: MountedDevice): string => {
  const { name, make_model, status, position, height, slot } = device
  if (position === null || !isInside({ position, height }, rack)) return ''
  const { from, to } = parseSlot(slot)
  // Slots are parts of the width as the front shows it. Seen from behind, the first one is on the right.
  const left = face === 'front' ? from : 12 - to
  const [x, width] = [MARGIN + (left * WIDTH) / 12, ((to - from) * WIDTH) / 12]
  const y = computeTop(rack, { position, height })
  const title = [name, make_model, status].filter((text) => text !== '').join(', ')
  return (
    `<g><title>${escapeXml(title)}</title>` +
    `<rect x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height * UNIT - 2}" rx="2" fill="${FILLS[status]}" stroke="#374151"/>` +
    `<text x="${x + width / 2}" y="${y + (height * UNIT) / 2}" text-anchor="middle" fill="#111827">${escapeXml(limitText(name, width))}</text></g>`
  )
}

/** Returns a face as an SVG image, without script, links and styles from elsewhere. */
export const renderElevation = (elevation: Elevation, face: Face): string => {
  const { rack } = elevation
  const [width, height] = [MARGIN + WIDTH + 10, TITLE + rack.height * UNIT + 10]
  const title = `${rack.name}, ${face}`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
    `font-family="sans-serif" font-size="11" dominant-baseline="central">` +
    `<title>${escapeXml(title)}</title>${PATTERNS}<rect width="${width}" height="${height}" fill="#ffffff"/>` +
    `<text x="${MARGIN}" y="${TITLE / 2}" font-size="13" font-weight="bold" fill="#111827">${escapeXml(limitText(title, WIDTH))}</text>` +
    `${renderUnitLabels(rack)}${elevation[face].map((device) => renderDevice(rack, face, device)).join('')}</svg>\n`
  )
}
