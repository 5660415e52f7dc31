/** `plat doctor`: runs every check, regardless of earlier findings, and changes nothing. */

import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import type { Session, Texts } from '../../surfaces/cli/parse/command.ts'
import { checkFolder, folderFacts } from './doctor-folder.ts'
import { checkListening, checkPing, type OwnData, pingFacts } from './doctor-host.ts'
import { checkPostgres } from './doctor-postgres.ts'
import { checkServer } from './doctor-server.ts'
import { checkSettings } from './doctor-settings.ts'
import { checkSqlite, isServing } from './doctor-sqlite.ts'
import { checkValkey } from './doctor-valkey.ts'
import type { Finding } from './finding.ts'
import { readSettings, runWatched } from './offline.ts'

const examine = async (session: Session, texts: Texts): Promise<Finding[]> => {
  const { config, findings } = checkSettings({ env: session.io.env, flags: readSettings(texts), cwd: process.cwd() })
  const { databaseUrl, dataDir, listenAddr } = config
  const ends = async (own: OwnData) => {
    const listening = await checkListening(listenAddr, own)
    const server = listening.status === 'ok' ? await checkServer(listenAddr) : []
    return [...(await checkValkey(config)), listening, ...server, checkPing(pingFacts())]
  }
  if (databaseUrl !== undefined) {
    const { findings: data, instances } = await checkPostgres(databaseUrl, config)
    return [...findings, ...data, ...(await ends({ instances }))]
  }
  const data = [
    ...checkFolder(folderFacts(dataDir)),
    ...(await runWatched(session, 'doctor', (watch) => checkSqlite(config, watch))),
  ]
  return [...findings, ...data, ...(await ends({ folder: dataDir, isServing: isServing(dataDir) }))]
}

const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

const formatVerdict = (findings: readonly Finding[]): string => {
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  const [problems, warnings] = [count('problem'), count('warning')]
  return problems + warnings === 0
    ? 'All is well.'
    : `${formatCount(problems, 'problem')}, ${formatCount(warnings, 'warning')}.`
}

const formatLines = (findings: readonly Finding[]): string[] => {
  const width = findings.reduce((most, { check }) => Math.max(most, check.length), 0)
  return findings.flatMap(({ status, check, message, advice }) => [
    `${status.padEnd(8)} ${check.padEnd(width)}  ${toPrintable(message)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}-> ${toPrintable(advice)}`]),
  ])
}

const present = async ({ io, globals }: Session, findings: readonly Finding[]): Promise<void> => {
  if (globals.output === 'json') {
    await io.stdout.write(`${toPrintableJson(JSON.stringify(findings, undefined, io.stdout.isTty ? 2 : undefined))}\n`)
    return
  }
  const shown = globals.isQuiet ? findings.filter(({ status }) => status !== 'ok') : findings
  const lines = [...formatLines(shown), ...(globals.isQuiet ? [] : ['', formatVerdict(findings)])]
  await io.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

export const doctor = async (session: Session, texts: Texts): Promise<number> => {
  const findings = await examine(session, texts)
  await present(session, findings)
  return findings.some(({ status }) => status === 'problem') ? 1 : 0
}
