// Which Node can run our files. Plain JavaScript that an old Node can read, to say so.

// It strips types by itself, and its SQLite can do to a column what the migrations ask for.
export const oldestNode = '24.21'

export function isNodeTooOld(version) {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
