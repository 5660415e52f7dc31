/** Draws a graph: line types differ in dash and hue, device roles in shape. */

import type { Graph, LinkType } from '../graph.ts'
import type { Mark } from '../impact/signs.ts'
import { ROLES, type Role } from '../role.ts'
import { type Camera, getPoint, type Positions, type Size, toScreen } from './camera.ts'
import type { Colours } from './colours.ts'
import { EFFECT_COLOURS, EFFECTS, FADED, getOpacity, paintCross } from './impact-signs.ts'
import { cullLabels, type Label } from './label-layout.ts'
import { addCurve, computeCurve, listPortLabels, NAMES_FROM_ZOOM } from './paint-cables.ts'

export type Scene = {
  readonly graph: Graph
  readonly positions: Positions
  readonly names: readonly string[]
  readonly roles: readonly Role[]
  readonly selected: number
  readonly hovered: number
  /** The neighbors of the selected node. */
  readonly near: ReadonlySet<number>
  readonly isLayered: boolean
  /** The first node is in the middle of the graph. */
  readonly hasFocus: boolean
  /** False until the names are loaded. */
  readonly isNamed: boolean
  /** The signs of the affected nodes. All others are faded. Undefined in a picture without an impact. */
  readonly marks?: readonly (Mark | undefined)[] | undefined
}

export const DASHES: Readonly<Record<LinkType, readonly number[]>> = {
  connected_to: [],
  depends_on: [7, 4],
  contains: [1.5, 4],
  cable: [11, 3, 2, 3],
}
export const HUES: Readonly<Record<LinkType, keyof Colours>> = {
  connected_to: 'accent',
  depends_on: 'warn-fill',
  contains: 'ok',
  cable: 'text',
}
const TYPES: readonly LinkType[] = ['contains', 'cable', 'connected_to', 'depends_on']
/** Relationships that point from parent to child. */
const DIRECTED: ReadonlySet<LinkType> = new Set(['contains', 'depends_on'])

/** Widths of some lines in proportion to others; dots are thin, and cables are many. */
const WIDTHS: Readonly<Partial<Record<LinkType, number>>> = { contains: 1.3, cable: 0.75 }

const RADIUS = 6
const LABEL_FONT = '11px Inter, sans-serif'
/** The distance from the center of a node to its label. */
const LABEL_GAP = 13
const ARROW = 6
/** Above these numbers of lines, at one device or in total, lines are thin. Thick ones are slow and illegible. */
const MAX_NODES_HIGHLIGHTED = 120
const MAX_LINKS_AT_FULL_WIDTH = 400

type Painter = { readonly context: CanvasRenderingContext2D; readonly camera: Camera; readonly colours: Colours }

const computeRadius = (scene: Scene, node: number, zoom: number): number => {
  const scale = Math.min(1.25, Math.max(0.55, zoom))
  return (node === scene.selected || (node === 0 && scene.hasFocus) ? RADIUS + 2.5 : RADIUS) * scale
}

const paintLinks = ({ context, camera, colours }: Painter, scene: Scene): void => {
  const { graph, positions, selected, near, isLayered } = scene
  const { zoom } = camera
  context.lineCap = 'round'
  const hasArrows = zoom > 0.45
  const { marks } = scene
  const isHotLink = (from: number, to: number): boolean =>
    marks ? marks[from] !== undefined && marks[to] !== undefined : from === selected || to === selected
  const isBusy = graph.links.length > MAX_LINKS_AT_FULL_WIDTH
  for (const isHot of [false, true])
    for (const type of TYPES) {
      const arrows = new Path2D()
      const lines = new Path2D()
      for (const link of graph.links) {
        const { from, to, type: kind } = link
        if (kind !== type || isHotLink(from, to) !== isHot) continue
        if (link.bend !== undefined) {
          addCurve(lines, computeCurve(link, positions, camera))
          continue
        }
        // Allocates no object for each end, because a frame draws thousands of them.
        const ax = (positions[from * 2] ?? 0) * zoom + camera.x
        const ay = (positions[from * 2 + 1] ?? 0) * zoom + camera.y
        const bx = (positions[to * 2] ?? 0) * zoom + camera.x
        const by = (positions[to * 2 + 1] ?? 0) * zoom + camera.y
        lines.moveTo(ax, ay)
        const middle = (ax + bx) / 2
        if (isLayered) lines.bezierCurveTo(middle, ay, middle, by, bx, by)
        else lines.lineTo(bx, by)
        if (DIRECTED.has(kind) && hasArrows) {
          const angle = isLayered ? (bx < ax ? Math.PI : 0) : Math.atan2(by - ay, bx - ax)
          const reach = computeRadius(scene, to, zoom) + 3
          const tip = { x: bx - Math.cos(angle) * reach, y: by - Math.sin(angle) * reach }
          arrows.moveTo(tip.x, tip.y)
          for (const turn of [0.45, -0.45])
            arrows.lineTo(tip.x - Math.cos(angle + turn) * ARROW, tip.y - Math.sin(angle + turn) * ARROW)
          arrows.closePath()
        }
      }
      context.strokeStyle = colours[HUES[type]]
      context.fillStyle = colours[HUES[type]]
      const quiet = marks && !isHot ? FADED : 0.5
      context.globalAlpha = isHot && near.size <= MAX_NODES_HIGHLIGHTED ? 1 : quiet
      const width = (isHot ? 2 : 1.1) * (WIDTHS[type] ?? 1)
      context.lineWidth = near.size > MAX_NODES_HIGHLIGHTED || (isBusy && !isHot) ? 1 : width
      context.setLineDash([...DASHES[type]])
      context.stroke(lines)
      context.setLineDash([])
      context.fill(arrows)
    }
  context.globalAlpha = 1
}

/** Creates the path of a shape. All shapes have about the same area. */
export const createShapePath = (role: Role, { x, y }: { x: number; y: number }, radius: number): Path2D => {
  const path = new Path2D()
  if (role === 'network') path.roundRect(x - radius, y - radius, radius * 2, radius * 2, 2.5)
  else if (role === 'server') path.arc(x, y, radius, 0, 2 * Math.PI)
  else {
    const corners = role === 'storage' ? 4 : 6
    const reach = radius * (role === 'storage' ? 1.3 : 1.15)
    for (let corner = 0; corner < corners; corner++) {
      const angle = (corner / corners) * 2 * Math.PI - Math.PI / 2
      path.lineTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach)
    }
    path.closePath()
  }
  return path
}

type Look = {
  readonly role: Role
  readonly radius: number
  readonly rim: number
  readonly rimColour: string
  readonly fill: string
}
/** `half` is the distance from the center to the edge. */
type Sprite = { readonly image: ImageBitmap; readonly half: number }

const sprites = new Map<string, Sprite>()
/** Each zoom level needs other sprites. */
const MOST_SPRITES = 200

/** Draws a node once, for later copies. A hundred drawn shapes take as long as a thousand copies. */
const getSprite = ({ role, radius, rim, rimColour, fill }: Look, ratio: number): Sprite => {
  const key = [role, radius, rim, rimColour, fill, ratio].join(' ')
  const known = sprites.get(key)
  if (known) return known
  if (sprites.size >= MOST_SPRITES) sprites.clear()
  // The corners of a diamond reach furthest.
  const half = Math.ceil((radius + rim) * 1.3) + 1
  const canvas = new OffscreenCanvas(Math.ceil(half * 2 * ratio), Math.ceil(half * 2 * ratio))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('a canvas of this size has a context')
  context.scale(ratio, ratio)
  const middle = { x: half, y: half }
  // The rim is a larger shape below. A stroke along the path takes three times as long.
  context.fillStyle = rimColour
  context.fill(createShapePath(role, middle, radius + rim))
  context.fillStyle = fill
  context.fill(createShapePath(role, middle, radius - rim))
  const sprite = { image: canvas.transferToImageBitmap(), half }
  sprites.set(key, sprite)
  return sprite
}

const paintNodes = ({ context, camera, colours }: Painter, scene: Scene): void => {
  const { graph, positions, roles, selected, hovered, near } = scene
  const ratio = devicePixelRatio
  // Rounds to whole pixels, where a copy needs no resampling.
  const snap = (at: number): number => Math.round(at * ratio) / ratio
  // Sprites depend on the role and the state of a node. A few dozen serve thousands of nodes.
  const looks: (Sprite | undefined)[] = []
  const getNodeSprite = (node: number, role: Role): Sprite => {
    const effect = scene.marks?.[node]?.effect
    const isFirst = node === 0 && scene.hasFocus
    const isLit = (!scene.marks && near.has(node)) || node === hovered || isFirst
    const isSelected = node === selected
    const state = (isLit ? 4 : 0) + (isSelected ? 2 : 0) + (isFirst ? 1 : 0)
    const key = (ROLES.indexOf(role) * 8 + state) * 4 + (effect === undefined ? 0 : EFFECTS.indexOf(effect) + 1)
    const known = looks[key]
    if (known) return known
    const rim = (isLit || effect === 'cut_off' ? 2.4 : 1.3) / 2
    const colour = effect && colours[EFFECT_COLOURS[effect]]
    const rimColour = isLit || isSelected ? colours.accent : (colour ?? colours.muted)
    // A device that is cut off is a ring: it still runs.
    const whole = effect === 'cut_off' ? colours.raised : (colour ?? colours.raised)
    const fill = isSelected && !scene.marks ? colours.accent : whole
    const sprite = getSprite({ role, radius: computeRadius(scene, node, camera.zoom), rim, rimColour, fill }, ratio)
    looks[key] = sprite
    return sprite
  }
  for (let node = 0; node < graph.ids.length; node++) {
    const role = roles[node] ?? 'server'
    const { image, half } = getNodeSprite(node, role)
    const x = (positions[node * 2] ?? 0) * camera.zoom + camera.x
    const y = (positions[node * 2 + 1] ?? 0) * camera.zoom + camera.y
    const mark = scene.marks?.[node]
    context.globalAlpha = getOpacity(scene, node)
    context.drawImage(image, snap(x - half), snap(y - half), image.width / ratio, image.height / ratio)
    context.globalAlpha = 1
    if (mark?.effect === 'failed') paintCross(context, { x, y }, computeRadius(scene, node, camera.zoom), colours)
  }
  if (!scene.hasFocus) return
  // The focus stays marked when another node is selected.
  context.strokeStyle = colours.accent
  context.lineWidth = 2
  context.stroke(
    createShapePath(
      roles[0] ?? 'server',
      toScreen(camera, getPoint(positions, 0)),
      computeRadius(scene, 0, camera.zoom) + 4,
    ),
  )
}

/** The measured widths of texts. */
const widths = new Map<string, number>()
const MOST_WIDTHS = 5000

const measureWidth = (context: CanvasRenderingContext2D, text: string): number => {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (widths.size >= MOST_WIDTHS) widths.clear()
  const { width } = context.measureText(text)
  widths.set(text, width)
  return width
}

const paintLabels = ({ context, camera, colours }: Painter, scene: Scene, size: Size): void => {
  const { graph, positions, names, selected, hovered, near } = scene
  context.font = LABEL_FONT
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  const degrees = new Uint32Array(graph.ids.length)
  for (const { from, to } of graph.links) for (const end of [from, to]) degrees[end] = (degrees[end] ?? 0) + 1
  const isMiddle = (node: number): boolean => node === 0 && scene.hasFocus
  const isLit = (node: number): boolean => (scene.marks ? scene.marks[node] !== undefined : near.has(node))
  const computeRank = (node: number): number =>
    (node === selected || node === hovered ? 1e6 : isMiddle(node) ? 1e5 : isLit(node) ? 1e4 : 0) + (degrees[node] ?? 0)
  const obstacles: Label[] = []
  const labels: Label[] = []
  for (const node of graph.ids.keys()) {
    const { x, y } = toScreen(camera, getPoint(positions, node))
    if (x < -200 || y < -20 || x > size.width + 20 || y > size.height + 20) continue
    const radius = computeRadius(scene, node, camera.zoom)
    obstacles.push({ node, x: x - radius + 3, y, width: radius * 2 - 6, rank: 0 })
    const width = measureWidth(context, names[node] ?? '')
    const gap = LABEL_GAP + (isMiddle(node) ? 5 : 0)
    labels.push({ node, x: x + gap, otherX: x - gap - width, y, width, rank: computeRank(node) })
  }
  // The selected and the hovered node always show their names.
  const isFirst = ({ node }: Label) => node === selected || node === hovered
  const kept = cullLabels(
    labels.filter((label) => !isFirst(label)),
    [...obstacles, ...labels.filter(isFirst)],
  )
  const write = (text: string, { x, y }: Pick<Label, 'x' | 'y'>, isLit: boolean): void => {
    context.lineWidth = 3
    context.strokeStyle = colours.sunken
    context.strokeText(text, x, y)
    context.fillStyle = isLit ? colours.text : colours.muted
    context.fillText(text, x, y)
  }
  const written = [...kept, ...labels.filter(isFirst)]
  for (const label of written) {
    const { node } = label
    write(names[node] ?? '', label, isLit(node) || node === selected || node === hovered || isMiddle(node))
  }
  if (camera.zoom < NAMES_FROM_ZOOM || near.size > MAX_NODES_HIGHLIGHTED) return
  const ports = listPortLabels(
    graph.links,
    selected,
    (link) => computeCurve(link, positions, camera),
    (text) => measureWidth(context, text),
  )
  for (const label of cullLabels(ports, [...obstacles, ...written])) write(label.text, label, false)
}

export const paintGraph = (painter: Painter, scene: Scene, size: Size): void => {
  paintLinks(painter, scene)
  paintNodes(painter, scene)
  if (scene.isNamed) paintLabels(painter, scene, size)
}
