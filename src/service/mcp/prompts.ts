/** Prompts for the most frequent questions, for the menus of AI clients. */
import type { Prompt } from '../../surfaces/mcp/prompts.ts'

const required = (name: string, description: string) => ({ name, description, required: true })
const optional = (name: string, description: string) => ({ name, description, required: false })

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'free_address',
    title: 'Find a free address',
    description: 'A free address of a network or pool and, if you like, recorded for a device',
    arguments: [
      required('where', 'Name or subnet of a network, or name of a pool'),
      optional('device', 'Name of the device that is to get it'),
    ],
    text: (given) =>
      `Find a free IP address in "${given('where')}". Find the network or pool with search, and its pools with pool_list. ` +
      'Look with pool_next_ip, which records nothing, and tell me the address with its pool and network. ' +
      (given('device') === ''
        ? 'Record nothing until I say so; pool_allocate would.'
        : `Then record it for the device "${given('device')}": find the device, show me both, and after my yes call pool_allocate with device_id.`),
  },
  {
    name: 'filling_up',
    title: 'Which networks and pools are nearly full?',
    description: 'Networks and pools that will soon have no free address',
    arguments: [
      optional('where', 'Name of a datacenter; all of them without it'),
      optional('percent', 'Threshold; 80 without it'),
    ],
    text: (given) =>
      `Which networks and pools${given('where') === '' ? '' : ` in "${given('where')}"`} are more than ${given('percent') || '80'} percent full? ` +
      'Call network_list and pool_list with include "utilization" and only the fields you need, all pages. ' +
      'For the fullest, find utilization.of-pool and utilization.of-network with search_operations: they show how the use has grown and when it will be full. ' +
      'Answer with a table, the fullest first, and what could be done.',
  },
  {
    name: 'what_changed',
    title: 'What has changed?',
    description: 'Changes since a time, with user and object; since yesterday by default',
    arguments: [
      optional('since', 'A time like 2026-01-31T12:00:00Z, or words like "Monday"'),
      optional('about', 'A device, network or user'),
    ],
    text: (given) =>
      `What has been changed in Plat since ${given('since') || 'yesterday at this time'}${given('about') === '' ? '' : `, as far as it concerns "${given('about')}"`}? ` +
      'Read audit_list with start_time, all pages, with only the fields you need. Group it by object and person, put failures and deletes first, ' +
      'and leave out what is routine. If I may not read the audit trail, say so.',
  },
  {
    name: 'who_is',
    title: 'Who is this?',
    description: 'Everything that is known about an address, a MAC or a host name',
    arguments: [required('query', 'IP address, CIDR, MAC address or host name')],
    text: (given) =>
      `What is "${given('query')}"? Call lookup with it; it knows the network, pool, devices, discovered devices, reservations, conflicts and last changes. ` +
      'Answer in a few lines: what it is, whose, where, when it was last seen. If it is free, say how to get it. If something contradicts itself, say so.',
  },
  {
    name: 'plan_migration',
    title: 'Plan a migration',
    description:
      'Which devices move from one network to another, to which addresses, in which order; nothing is changed',
    arguments: [
      required('from', 'Name or subnet of the network to leave'),
      required('to', 'Name or subnet of the network to move to'),
    ],
    text: (given) =>
      `Plan the move of everything in "${given('from')}" to "${given('to')}". List the devices of the first network (device_list with network_id) and their ` +
      'relationships, reservations and conflicts; look whether the pools of the second have room (pool_list with include "utilization"). ' +
      'Propose a new address for each device, an order that respects depends_on, and what to check after each step. ' +
      'Change nothing: when I agree, make one plan with devices.bulk by call_operation, show me its plan, and apply it only after my yes.',
  },
  {
    name: 'audit_subnet',
    title: 'Check a network',
    description: 'What is documented in a network, what was seen, and where the two differ',
    arguments: [required('network', 'Name or subnet of the network')],
    text: (given) =>
      `Check the network "${given('network')}": compare what is documented (device_list with network_id) with what was discovered (discovery_list with network_id), ` +
      'and list the open conflicts (conflict_list). Name what is unknown, what is gone, and what contradicts itself, and propose what to do, without doing it.',
  },
]
