/** Places nodes by a force simulation. Runs in the worker, because it takes long. */
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'
import type { Graph } from '../graph.ts'

const STEPS = 260
const RING = 110

/** Places nodes on rings by distance. This is the start of the simulation. */
export const computeRingLayout = ({ levels }: Pick<Graph, 'levels'>): Float32Array<ArrayBuffer> => {
  const positions = new Float32Array(levels.length * 2)
  const rings = Map.groupBy(levels.keys(), (node) => Math.abs(levels[node] ?? 0))
  for (const [ring, nodes] of rings) {
    const radius = ring === 0 ? 0 : Math.max(ring * RING, (nodes.length * 16) / (2 * Math.PI))
    for (const [at, node] of nodes.entries()) {
      const angle = (at / nodes.length) * 2 * Math.PI
      positions[node * 2] = Math.cos(angle) * radius
      positions[node * 2 + 1] = Math.sin(angle) * radius
    }
  }
  return positions
}

/** Deterministic: equal graphs get equal layouts. */
export const computeForceLayout = (graph: Pick<Graph, 'levels' | 'links'>): Float32Array<ArrayBuffer> => {
  const start = computeRingLayout(graph)
  const nodes = graph.levels.map(
    (_, node): SimulationNodeDatum => ({ x: start[node * 2] ?? 0, y: start[node * 2 + 1] ?? 0 }),
  )
  const links = graph.links.map(({ from, to }) => ({ source: from, target: to }))
  const simulation = forceSimulation(nodes)
    .force('link', forceLink(links).distance(84).strength(0.6))
    .force('charge', forceManyBody().strength(-330).theta(1.1).distanceMax(900))
    .force('x', forceX().strength(0.03))
    // Windows are wider than high.
    .force('y', forceY().strength(0.055))
    .force('collide', forceCollide(20))
    .stop()
  simulation.tick(STEPS)
  const positions = new Float32Array(nodes.length * 2)
  for (const [node, { x = 0, y = 0 }] of nodes.entries()) positions.set([x, y], node * 2)
  return positions
}
