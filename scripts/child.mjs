// Owns how a script runs another program to its end: streams, signals and exit code.

import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { root } from './install.mjs'

let stopSignal

/** Returns the exit code of a script that was stopped while a program ran, or undefined. */
export function stopCode() {
  return stopSignal && 128 + constants.signals[stopSignal]
}

/**
 * Runs a program at the root of the checkout and gives its exit code, 128 + n when signal n ended it.
 * `onOutput(text)` sees what the program prints, in place of the terminal.
 */
export function run(command, args, { env = process.env, onOutput } = {}) {
  const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit'
  const child = spawn(command, args, { cwd: root, env, stdio })
  if (onOutput) for (const from of [child.stdout, child.stderr]) from.setEncoding('utf8').on('data', onOutput)
  const release = relaySignals(child)
  return new Promise((resolve) => {
    child.on('error', (error) => {
      release()
      console.error(`${command} could not be started: ${error.message}`)
      resolve(127)
    })
    child.on('close', (code, signal) => {
      release()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/**
 * Keeps this process alive until the child has ended, and hands on the signals that only this process got.
 *
 * Ctrl-C and a hang-up come from the terminal, which sends them to the whole process group: the child has its own, and npm, which got
 * one too, sends us a second. Handing on either would look to the child like an impatient second Ctrl-C and cut its orderly shutdown
 * short. So with a terminal they are only swallowed here, and a second Ctrl-C still reaches the child by itself. SIGTERM always comes
 * from a program that knows only the pid of npm or of this process, and so does SIGINT where there is no terminal. These go on to the
 * child, every one of them.
 */
function relaySignals(child) {
  const swallow = (signal) => {
    stopSignal = signal
  }
  const relay = (signal) => {
    stopSignal = signal
    child.kill(signal)
  }
  const fromTerminal = hasTerminal() ? swallow : relay
  const handlers = { SIGTERM: relay, SIGINT: fromTerminal, SIGHUP: fromTerminal }
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler)
  }
}

/** Returns true if a terminal controls this process, even if all its streams are redirected. */
function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
