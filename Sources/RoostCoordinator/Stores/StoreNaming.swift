// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names stores for errors and logs: the last part of the URL, which holds no user, password or folder.
enum StoreNaming {
  static func displayName(url: URL?, identifier: String) -> String {
    guard let last = url?.lastPathComponent, !last.isEmpty, last != "/" else { return identifier }
    return last
  }

  /// Returns the canonical form of a URL, equal for all names of one file; nil when the URL is no place of its own.
  static func place(of url: URL?) -> String? {
    guard let url else { return nil }
    guard url.isFileURL || url.scheme == nil else { return url.absoluteString }
    let path = url.resolvingSymlinksInPath().standardizedFileURL.path
    // `/dev/null` means a throw-away store; there may be many.
    return path == "/dev/null" ? nil : path
  }
}
