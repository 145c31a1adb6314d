// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How errors and logs name a store: by the last part of its place, which holds no user, password or folder.
enum StoreNaming {
  static func displayName(url: URL?, identifier: String) -> String {
    guard let last = url?.lastPathComponent, !last.isEmpty, last != "/" else { return identifier }
    return last
  }

  /// The form of a URL in which two names of one file are equal; nil when the URL names no place of its own.
  static func place(of url: URL?) -> String? {
    guard let url else { return nil }
    guard url.isFileURL || url.scheme == nil else { return url.absoluteString }
    let path = url.resolvingSymlinksInPath().standardizedFileURL.path
    // `/dev/null` asks for a throw-away store; there may be many.
    return path == "/dev/null" ? nil : path
  }
}
