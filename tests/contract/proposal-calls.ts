/** Calls of proposals and policies: adding, review, refusals and merges. One open proposal and one policy stay for the reads. */
import { call, refuse, type Step } from './engine-pair.ts'

const stale = { headers: { 'If-Match': '"stale"' } }
const asker = { as: 'asker' }
const update = (id: string, fields: object) => ({ operation: 'devices.update', input: { id, ...fields } })

const policies: readonly Step[] = [
  call(
    'policies.create',
    { name: 'Äll', permissions: ['devices:update'], group_id: '@{group}', min_objects: 500 },
    { save: { policy: 'id' } },
  ),
  call('policies.create', { name: 'Judged', checks: ['lint'], approvals: 0, enabled: false }, { save: { off: 'id' } }),
  refuse(409, 'policies.create', { name: 'JUDGED' }),
  refuse(400, 'policies.create', { name: 'x', approvals: 0 }),
  refuse(400, 'policies.create', { name: 'x', permissions: ['users:create'] }),
  refuse(400, 'policies.create', { name: 'x', scope_id: 'none' }),
  refuse(409, 'groups.delete', { id: '@{group}' }),
  call('policies.update', { id: '@{policy}', description: 'Two', min_objects: 501 }),
  refuse(412, 'policies.update', { id: '@{policy}', description: 'x' }, stale),
]

const adding: readonly Step[] = [
  call(
    'devices.update',
    { id: 'dev-2', os: 'Proposed' },
    { ...asker, query: 'proposal=draft', save: { draft: 'header:x-proposal' } },
  ),
  call('proposals.get', { id: '@{draft}' }, { ...asker, save: { first: 'id' } }),
  refuse(404, 'proposals.get', { id: '@{draft}' }),
  refuse(400, 'devices.update', { id: 'dev-2', os: 'x' }, { query: 'proposal=@{draft}' }),
  refuse(400, 'devices.update', { id: 'dev-2', os: 'x' }, { query: 'proposal=' }),
  refuse(400, 'devices.update', { id: 'dev-2', os: 'x', proposal: 'open' }),
  refuse(400, 'devices.list', {}, { query: 'proposal=@{draft}' }),
  call(
    'reservations.allocate',
    { id: 'pool-0', purpose: 'Drucker Ä', ttl_seconds: 600 },
    { ...asker, query: 'proposal=@{draft}' },
  ),
  call('networks.create', { name: 'Proposed', subnet: '10.77.0.0/24' }, { ...asker, query: 'proposal=@{draft}' }),
  call('networks.create', { name: 'Tried', subnet: '10.77.1.0/24', dry_run: true }, { query: 'proposal=open' }),
  refuse(404, 'racks.delete', { id: 'none-such' }, { ...asker, query: 'proposal=@{draft}' }),
  call('devices.list', { as_of: 'proposal:@{draft}', q: 'Proposed' }, asker),
  refuse(400, 'devices.list', { as_of: 'proposal:@{draft}' }),
  call(
    'proposals.replace-operation',
    { id: '@{draft}', operation_id: '1', input: { id: 'dev-2', os: 'Other' } },
    asker,
  ),
  refuse(
    400,
    'proposals.replace-operation',
    { id: '@{draft}', operation_id: '1', input: { id: 'dev-2', os: 7 } },
    asker,
  ),
  call('proposals.remove-operation', { id: '@{draft}', operation_id: '3' }, asker),
  call('proposals.update', { id: '@{draft}', title: 'Größer', description: 'Ä\nß' }, asker),
  refuse(400, 'proposals.update', { id: '@{draft}', title: 'two\nlines' }, asker),
  refuse(412, 'proposals.update', { id: '@{draft}', title: 'x' }, { ...asker, ...stale }),
]

const review: readonly Step[] = [
  call('proposals.open', { id: '@{draft}' }, { ...asker, save: { fingerprint: 'fingerprint' } }),
  refuse(400, 'proposals.open', { id: '@{draft}' }, asker),
  call('proposals.comment', { id: '@{draft}', text: 'Warum?' }),
  call('proposals.comment', { id: '@{draft}', text: 'This one', kind: 'device', object_id: 'dev-2' }),
  refuse(400, 'proposals.comment', { id: '@{draft}', text: 'x', kind: 'device', object_id: 'none' }),
  refuse(400, 'proposals.comment', { id: '@{draft}', text: 'x', kind: 'device' }),
  refuse(403, 'proposals.approve', { id: '@{draft}' }, asker),
  refuse(412, 'proposals.approve', { id: '@{draft}', fingerprint: 'another' }),
  call('proposals.approve', { id: '@{draft}', fingerprint: '@{fingerprint}', text: 'Gut' }),
  call('proposals.check', { id: '@{draft}', name: 'lint', state: 'success', fingerprint: '@{fingerprint}' }),
  refuse(412, 'proposals.check', { id: '@{draft}', name: 'lint', state: 'success', fingerprint: 'another' }),
  refuse(400, 'proposals.check', {
    ...{ id: '@{draft}', name: 'lint', state: 'failure', fingerprint: '@{fingerprint}', url: 'javascript:1' },
  }),
  call('proposals.list', { state: 'open', to_review: true }),
  call('proposals.items', { id: '@{draft}', kind: 'device' }),
  call('proposals.timeline', { id: '@{draft}' }),
  refuse(403, 'proposals.merge', { id: '@{draft}', dry_run: true }, { as: 'asks only' }),
  call('proposals.merge', { id: '@{draft}', dry_run: 'changes' }),
  refuse(412, 'proposals.merge', { id: '@{draft}', fingerprint: 'another' }),
  call('proposals.merge', { id: '@{draft}' }, { save: { 'merge change': 'header:x-change-id' } }),
  refuse(400, 'proposals.merge', { id: '@{draft}' }),
  refuse(400, 'devices.update', { id: 'dev-2', os: 'x' }, { ...asker, query: 'proposal=@{draft}' }),
  call('history.get', { id: '@{merge change}' }),
]

const ends: readonly Step[] = [
  call(
    'proposals.create',
    { title: 'No', operations: [update('dev-3', { os: 'No' })], open: true },
    { ...asker, save: { rejected: 'id' } },
  ),
  call('proposals.reject', { id: '@{rejected}', text: 'Nein' }),
  call('proposals.open', { id: '@{rejected}' }, asker),
  call('proposals.close', { id: '@{rejected}' }, asker),
  refuse(400, 'proposals.create', { title: 'Bad', operations: [update('dev-3', { os: 7 })] }),
  refuse(400, 'proposals.create', { title: 'Bad', operations: [{ operation: 'users.create', input: {} }] }),
  refuse(400, 'proposals.create', { title: 'Nothing', open: true }),
  call(
    'proposals.create',
    { title: 'Stays', operations: [update('dev-4', { os: 'Stays', tags: ['ä', 'new'] })], open: true },
    { ...asker, save: { proposal: 'id' } },
  ),
  call('devices.update', { id: 'dev-4', location: 'moved' }),
  call('proposals.refresh', { id: '@{proposal}' }),
]

export const proposalCalls: readonly Step[] = [
  call(
    'users.create',
    { username: 'asks', password: 'correct horse battery', roles: ['operator'] },
    { save: { asker: 'id' } },
  ),
  call('keys.create', { name: 'asks', user_id: '@{asker}' }, { save: { 'asker key': 'key' } }),
  call(
    'roles.create',
    { name: 'Asks only', permissions: ['proposals:read', 'devices:read'] },
    { save: { 'asks only': 'id' } },
  ),
  call(
    'users.create',
    { username: 'reads', password: 'correct horse battery', roles: ['@{asks only}'] },
    { save: { reads: 'id' } },
  ),
  call('keys.create', { name: 'reads', user_id: '@{reads}' }, { save: { 'asks only key': 'key' } }),
  async ({ keys, saved }) => {
    for (const name of ['asker', 'asks only']) keys.set(name, saved.get(`${name} key`) ?? '')
  },
  ...policies,
  ...adding,
  ...review,
  ...ends,
]

export const proposalRemovals: readonly Step[] = [
  refuse(412, 'policies.delete', { id: '@{policy}' }, stale),
  call('policies.delete', { id: '@{policy}' }),
  refuse(404, 'policies.delete', { id: '@{policy}' }),
]
