/** The place of a new device, as the URL of the rack's page has it. Pure. */
import type { Face } from './geometry.ts'

export type NewPosition = {
  readonly face: Face
  readonly position: number
  readonly slot: string
  readonly height?: number
}

/** @example writePlace({ face: 'front', position: 12, slot: '1/2' }) // 'front 12 1/2' */
export const formatNewPosition = ({ face, position, slot, height }: NewPosition): string =>
  [face, position, slot, ...(height === undefined || height === 1 ? [] : [height])].join(' ')

const NEW_POSITION = /^(front|rear) (\d{1,3}(?:\.5)?) ([1-4]\/[1-4])(?: (0\.5))?$/

/** @returns undefined for a text that names no place */
export const parseNewPosition = (text: string): NewPosition | undefined => {
  const [, face, position, slot, height] = NEW_POSITION.exec(text) ?? []
  if (slot === undefined) return undefined
  return {
    face: face === 'rear' ? 'rear' : 'front',
    position: Number(position),
    slot,
    ...(height !== undefined && { height: Number(height) }),
  }
}
