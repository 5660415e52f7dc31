/** The generated inventory of the pages. It is always the same, and is imported like any other. */
import { generateEstate } from '../bench/estate/estate.ts'

const ORDER = ['datacenters', 'networks', 'pools', 'devices', 'relationships', 'reservations'] as const

type Send = (path: string, body: string) => Promise<Response>

/** @throws if the server refuses the inventory */
export const seed = async (send: Send, devices: number): Promise<void> => {
  const estate = generateEstate({ devices, seed: 1 })
  for (const resource of ORDER) {
    const response = await send(`/api/estate/import?resource=${resource}`, JSON.stringify([...estate[resource]]))
    const last = (await response.text()).trim().split('\n').at(-1) ?? ''
    if (!response.ok || !last.includes('"failed":0')) throw new Error(`${resource} could not be seeded: ${last}`)
  }
}
