// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Foundation
import Glibc

/// The changes of names in a folder, in order, by inotify.
public final class FolderWatch {
  private let descriptor: Int32

  /// Begins to watch a folder.
  public init(_ folder: URL) {
    descriptor = inotify_init1(0o4000)
    let names = UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
    precondition(inotify_add_watch(descriptor, folder.path, names) >= 0)
  }

  deinit {
    close(descriptor)
  }

  /// Returns the names that were removed or moved to another file since the last call.
  public func changes() -> [String] {
    var names: [String] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return names }
      var start = 0
      while start < count {
        // An event: three numbers of 32 bits, the length of the name, the name with zeros behind it.
        let length = buffer.withUnsafeBytes {
          Int($0.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
        }
        let name = buffer[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 }
        names.append(String(decoding: name, as: UTF8.self))
        start += 16 + length
      }
    }
  }
}

/// Runs a body as a user who may read a folder but not create files in it. The file-system user ID (`setfsuid`)
/// belongs to one thread, so that other tests are not affected.
@discardableResult
public func withoutRights<Result>(to folder: URL, _ body: () throws -> Result) throws -> Result {
  guard getuid() == 0 else {
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    return try body()
  }
  typealias SetUser = @convention(c) (UInt32) -> Int32
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "setfsuid") else { throw POSIXError(.ENOSYS) }
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  _ = setUser(65_534)
  defer { _ = setUser(0) }
  return try body()
}
#endif
